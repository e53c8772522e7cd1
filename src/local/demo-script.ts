import { leapFix, leapTest, monthFix } from './demo-repository.ts'
import type { Conversation, Script } from './model.ts'
import { call, type Step, take } from './steps.ts'

/** What the scripted model of the demo does: one plan per request of a person, each a row of steps and an answer. */

interface Plan {
  /** The words in a person's comment that this plan serves. */
  readonly when: RegExp
  readonly steps: readonly Step[]
  readonly answer: (conversation: Conversation) => string
}

export const firstComment = '/opencode fix the failing test'
export const secondComment = '/opencode also refuse days that do not exist, such as 29 February 2023, and add a test'

const source = 'src/parse-date.js'
const tests = 'test/parse-date.test.js'
const runTests = (id: string) => call(id, 'bash', { command: 'node --test', description: 'Runs the tests' })
const green = (output: string | undefined) => output !== undefined && /\bfail 0\b/.test(output)

const fix: Plan = {
  when: /fix the failing test/i,
  steps: [
    {
      text: 'I run the tests and look for the code they are about.',
      calls: [runTests('call_fix_before'), call('call_fix_grep', 'grep', { pattern: 'parseDate' })],
    },
    { calls: [call('call_fix_read', 'read', { filePath: source }), call('call_fix_read_tests', 'read', { filePath: tests })] },
    {
      text: '`Date.UTC` counts months from 0, the text counts from 1.',
      calls: [call('call_fix_edit', 'edit', { filePath: source, ...monthFix })],
    },
    { calls: [runTests('call_fix_after')] },
  ],
  answer: (conversation) =>
    green(conversation.result('call_fix_after'))
      ? 'The two failing tests pass now. `parseDate` handed the month to `Date.UTC` as it stands in the text, but `Date.UTC` counts months from 0, so every date came out a month late. It subtracts one now; nothing else changed.'
      : 'I changed `parseDate` to count months from 0, but the tests still fail. The last run is in the transcript.',
}

const leap: Plan = {
  when: /29 February/i,
  steps: [
    {
      text: 'I know the file from before; I read it again as it is on this branch.',
      calls: [call('call_leap_read', 'read', { filePath: source }), call('call_leap_read_tests', 'read', { filePath: tests })],
    },
    {
      calls: [
        call('call_leap_todo', 'todowrite', {
          todos: [
            { content: 'Refuse days that do not exist', status: 'in_progress', priority: 'high' },
            { content: 'Test it', status: 'pending', priority: 'high' },
          ],
        }),
      ],
    },
    { calls: [call('call_leap_edit', 'edit', { filePath: source, ...leapFix })] },
    { calls: [call('call_leap_edit_tests', 'edit', { filePath: tests, ...leapTest })] },
    { calls: [runTests('call_leap_after')] },
  ],
  answer: (conversation) =>
    green(conversation.result('call_leap_after'))
      ? 'Days that do not exist are refused now: `Date.UTC` rolls 29 February 2023 over into March, so `parseDate` checks that day and month came out as they went in. The new test covers the leap year, the common year and 31 April; all tests pass.'
      : 'I added the check and a test, but the tests fail. The last run is in the transcript.',
}

/** Any other request: shows the way through without pretending to think. */
const anything: Plan = {
  when: /./s,
  steps: [
    { calls: [call('call_any_list', 'list', { path: '.' })] },
    { calls: [call('call_any_write', 'write', { filePath: 'opencode-was-here.md', content: 'Written by the scripted model of `npm start`.\n' })] },
  ],
  answer: () =>
    'I am the scripted model: I cannot think, so I listed the files and wrote `opencode-was-here.md` to show the way from a comment to a pull request.',
}

/** The newest text of a person that a plan serves. */
function planFor(conversation: Conversation): Plan {
  for (const message of conversation.messages.toReversed()) {
    if (message.role !== 'user') continue
    const plan = [leap, fix].find((candidate) => candidate.when.test(message.text))
    if (plan !== undefined) return plan
  }
  return anything
}

/** The demo's model. */
export const demoScript: Script = (conversation) => {
  const { steps, answer } = planFor(conversation)
  return take(steps, answer, conversation)
}
