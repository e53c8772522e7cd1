import { describe, expect, test } from 'vitest'
import { dispatchPayload, issueCommentPayload, issuesPayload, schedulePayload } from '../../src/local/github/payloads.ts'
import type { Script } from '../../src/local/model.ts'
import { runAction, type World } from '../../src/local/world.ts'
import { comments } from '../support/world.ts'
import { told } from './opencode-repository.ts'
import { comment, expectExit, fixDate, modelInputs, says, within } from './support.ts'

/** Public failures of prompt assembly and of settings (test/cases/README.md), as the built action meets them. */

test('C43 a thread of 300 KiB and a request that no process argument could hold reach the model, the newest comments first', () =>
  within({ script: says('Read.') }, async (world) => {
    const filler = (name: string) => `${name}\n${'All work and no play makes a long thread. '.repeat(1_450)}`
    const { number } = world.github.openIssue({ title: 'Long', body: filler('The beginning.'), author: 'rita' })
    for (let index = 0; index < 5; index++) world.github.comment(number, 'rita', filler(`Comment number ${index}.`))
    world.github.comment(number, 'rita', 'The newest of all.')
    const done = await comment(world, number, 'alice', `/oc sum it up\n\n${'And mind this. '.repeat(4_000)}`)
    expectExit(done, 0)
    const text = told(world).user.join('\n')
    expect(text).toContain('The beginning.')
    expect(text).toContain('The newest of all.')
    expect(text.split('And mind this.')).toHaveLength(4_001)
    expect(comments(world, number).at(-1)?.body).toContain('Read.')
    expect(done.summary).toMatch(/left out|not shown/)
  }))

test('C44 code is passed on and posted byte for byte', () => {
  const code = `<Tooltip title="We'll do it" placement="top">\n  {a && <b>\`x\` &amp; \${y}</b>}\n\t// $& $1 \\n\n</Tooltip>`
  return within({ script: says(`Use this:\n\n\`\`\`jsx\n${code}\n\`\`\``) }, async (world) => {
    const fenced = `\`\`\`jsx\n${code}\n\`\`\``
    const { number } = world.github.openIssue({ title: 'Tooltips', body: `It breaks:\n\n${fenced}`, author: 'rita' })
    world.github.comment(number, 'rita', `Here too:\n\n${fenced}`)
    const done = await comment(world, number, 'alice', `/oc explain\n\n${fenced}`)
    expectExit(done, 0)
    const text = told(world).user.join('\n')
    expect(text.split(code)).toHaveLength(4)
    expect(comments(world, number).at(-1)?.body).toContain(fenced)
  })
})

describe('C45 every event is told alike that git is seen to', () => {
  const events: Record<string, (world: World) => Promise<{ event: string; payload: object }>> = {
    'a comment on an issue': async ({ github }) => {
      const { number } = github.openIssue({ title: 'Dates', author: 'rita' })
      return { event: 'issue_comment', payload: issueCommentPayload(github, github.comment(number, 'alice', '/oc look').id) }
    },
    'a comment on a pull request': async (world) => {
      await world.push('feature', { 'NEW.md': 'new\n' }, 'main')
      const { number } = await world.github.openPull({ title: 'Dates', author: 'alice', head: 'feature' })
      return { event: 'issue_comment', payload: issueCommentPayload(world.github, world.github.comment(number, 'alice', '/oc look').id) }
    },
    'an issue': async ({ github }) => ({
      event: 'issues',
      payload: issuesPayload(github, github.openIssue({ title: 'Dates', body: '/oc look', author: 'alice' }).number),
    }),
    'a schedule': async ({ github }) => ({ event: 'schedule', payload: schedulePayload(github, '0 3 * * *') }),
    'a run by hand': async ({ github }) => ({ event: 'workflow_dispatch', payload: dispatchPayload(github, 'alice') }),
  }
  test.each(Object.entries(events))('%s', (_, make) =>
    within({ script: says('Looked.') }, async (world) => {
      const done = await runAction(world, { ...(await make(world)), inputs: { ...modelInputs(world), prompt: 'look' } })
      expectExit(done, 0)
      const { system } = told(world)
      expect(system).toContain('Once you are done the harness commits what you changed')
      expect(system).toContain("So don't commit or push, don't create or switch branches, leave git's configuration alone, and don't call `gh`.")
    }),
  )
})

describe('C46 a title is a title', () => {
  test.each([
    ['thought and quoted', '<think>What do they want?</think>\n"Fix: `parse()` of dates"\nbecause it is off', 'Fix: `parse()` of dates'],
    ['far too long', `${'Very long words '.repeat(44)}end`, `${'Very long words '.repeat(6)}V...`],
    ['none, so that the issue’s serves', '', 'Dates'],
  ])('%s', (_, answered, title) => {
    const script: Script = (conversation) => (conversation.messages[0]?.text.startsWith('You name conversations') ? { text: answered } : fixDate(conversation))
    return within({ script }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const done = await comment(world, number, 'alice', '/oc fix the date parsing', { inputs: { 'small-model': 'scripted/small' } })
      expectExit(done, 0)
      expect(world.github.thread(Number(done.outputs['pull-request-number'])).title).toBe(title)
      const subject = (await world.remote('log', '-1', '--format=%s', done.outputs.branch ?? '')).trim()
      expect(subject.length).toBeLessThanOrEqual(72)
      expect(subject.slice(0, 12)).toBe(title.slice(0, 12))
    })
  })
})
