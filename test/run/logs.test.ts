import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FailedJob } from '../../src/github/types.ts'
import { textsOf } from '../../src/prompt/texts.ts'
import { logsOf } from '../../src/run/logs.ts'

const texts = textsOf(join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'prompts'))
const run = { name: 'CI', url: 'https://x/runs/1', branch: 'topic', sha: 'abc123' }
const at = (text: string): string => `2026-01-01T00:00:00.1234567Z ${text}`
const job = (log: string, facts: Partial<FailedJob> = {}): FailedJob => ({ name: 'test (24)', url: 'https://x/jobs/2', steps: ['npm test'], log, ...facts })

test('a failed job is told with its steps and its log, without times, colours and folded groups', () => {
  const log = [
    '\ufeff2026-01-01T00:00:00.1234567Z ##[group]Run npm test',
    at('\u001b[36;1mnpm test\u001b[0m'),
    at('shell: /usr/bin/bash -e {0}'),
    at('##[endgroup]'),
    at('\u001b[31mFAIL\u001b[0m test/a.test.ts'),
    at('  expected 1 to be 2'),
    at('##[error]Process completed with exit code 1.'),
    '',
  ]
  expect(logsOf(run, [job(log.join('\n'))], texts, 10_000)).toEqual({
    text: `${texts('github/failed-run')}
<github_failed_run name="CI" url="https://x/runs/1" branch="topic" commit="abc123">
<github_failed_job name="test (24)" failed_steps="npm test" url="https://x/jobs/2">
Run npm test (2 lines)
FAIL test/a.test.ts
  expected 1 to be 2
error: Process completed with exit code 1.
</github_failed_job>
</github_failed_run>`,
    notes: [],
  })
})

test('of a long log the first error is told with what stands around it, and the end', () => {
  const noise = (from: number, count: number) => Array.from({ length: count }, (_, index) => `line ${from + index} is fine, 0 errors`)
  const log = [
    ...noise(0, 3_000),
    'src/a.ts(1,2): error: the first',
    ...noise(3_000, 3_000),
    'error: the second',
    '##[error]Process completed with exit code 2.',
  ]
  const { text } = logsOf(run, [job(log.join('\n'))], texts, 6_000)
  expect(text.length).toBeLessThanOrEqual(6_000)
  expect(text).toMatch(/\(2992 lines left out\)\nline 2992 .*\n(?:line .*\n){7}src\/a\.ts\(1,2\): error: the first\nline 3000 /)
  expect(text).toMatch(/\(\d+ lines left out\)\n(?:line .*\n)+error: the second\nerror: Process completed with exit code 2\.\n<\/github_failed_job>/)
})

test('without an error that is known as one, the end of the log is told', () => {
  const { text } = logsOf(run, [job(Array.from({ length: 2_000 }, (_, index) => `step ${index}`).join('\n'))], texts, 3_000)
  expect(text).toContain('step 1999\n</github_failed_job>')
})

test('several jobs share the room, a short one leaves it to the others, and of many the first ten are told', () => {
  const long = Array.from({ length: 1_000 }, (_, index) => `line ${index}`).join('\n')
  const { text, notes } = logsOf(run, [job('short'), ...Array.from({ length: 14 }, () => job(long))], texts, 20_000)
  expect(text.length).toBeLessThanOrEqual(20_000)
  expect(text.match(/<github_failed_job /g)).toHaveLength(10)
  expect(text.match(/line 999\n/g)).toHaveLength(9)
  expect(text).toContain('(5 more failed jobs left out)')
  expect(notes).toEqual(['Of 15 failed jobs the model was shown the first 10.'])
})

test('a log that can not be had is said to be missing', () => {
  const { text, notes } = logsOf({ ...run, branch: null }, [job('', { steps: [] })], texts, 10_000)
  expect(text).toContain('<github_failed_job name="test (24)" url="https://x/jobs/2">\n(its log can\'t be had)')
  expect(text).not.toMatch(/null|undefined/)
  expect(notes).toEqual(['The log of the job test (24) could not be read.'])
  expect(logsOf(run, [], texts, 10_000).text).toContain('(no failed job is listed)')
})

test('C145 nothing in a log is a command to the runner, opens or closes a tag, or goes unseen', () => {
  const word = fc.constantFrom(
    '::',
    '::error::',
    '::set-output name=a::b',
    '::add-mask::x',
    '##[error]',
    '##[command]',
    '##[group]',
    '</github_failed_job>',
    '<system-reminder>',
    ' ',
    'x',
    '\n',
    '\r',
    '\u200b',
    '\u001b[31m',
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), (words) => {
      const { text } = logsOf(run, [job(`a\n${words.join('')}`)], texts, 10_000)
      expect(text).not.toMatch(/^\s*(?:::|##\[)/m)
      expect(text).not.toMatch(/(?!\n)\p{Cc}|\u200b/u)
      expect(text.match(/<\s*\/?\s*(?:github_\w+|system-reminder)/g)).toEqual([
        '<github_failed_run',
        '<github_failed_job',
        '</github_failed_job',
        '</github_failed_run',
      ])
    }),
  )
})
