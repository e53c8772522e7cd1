import { expect, test } from 'vitest'
import { size } from '../../src/report/markdown.ts'
import { failureBody, type ReplyFacts, replyBody } from '../../src/report/reply.ts'

const facts: ReplyFacts = {
  runUrl: 'https://github.test/octo/demo/actions/runs/1',
  model: 'openai/gpt-5.4',
  usage: { steps: 3, tokens: { input: 9000, output: 200, reasoning: 100, cache: { read: 3500, write: 0 } }, cost: 0.034 },
  landed: 'Opened #13.',
  notes: ['`a.bin` was left out.'],
}

test('a reply carries the answer, what was published, the notes and the figures', () => {
  expect(replyBody('Done.\n', facts, 10_000)).toBe(
    [
      'Done.',
      'Opened #13.',
      '> `a.bin` was left out.',
      '<sub>[run](https://github.test/octo/demo/actions/runs/1) · `openai/gpt-5.4` · 3 steps · 12.5k in, 300 out · $0.03</sub>',
    ].join('\n\n'),
  )
})

test('C122 a reply fits its budget: the answer is cut, the rest stays', () => {
  const body = replyBody('word '.repeat(10_000), facts, 2_000)
  expect(size(body)).toBeLessThanOrEqual(2_000)
  expect(body).toContain('Opened #13.')
  expect(body).toContain('The answer was cut')
  expect(body).toContain('3 steps')
})

test('the price is left out where it is not known', () => {
  expect(replyBody('x', { ...facts, usage: { ...facts.usage, cost: 0 } }, 10_000)).not.toContain('$')
})

test('C137 a failure says what happened, what to do, and carries a small patch', () => {
  const body = failureBody({
    message: 'The push to `x` was refused: GH006.',
    hint: 'Let the branch rules admit the bot.',
    runUrl: facts.runUrl,
    cancelled: false,
    patch: { path: '/tmp/p', text: 'diff --git a/x b/x\n+```\n', bytes: 24 },
  })
  expect(body).toContain('This run failed. The push to `x` was refused: GH006.')
  expect(body).toContain('Let the branch rules admit the bot.')
  expect(body).toContain('````diff\ndiff --git a/x b/x\n+```\n````')
})

test('a patch that is too large for a comment is named by its output', () => {
  const body = failureBody({ message: 'm', hint: 'h', runUrl: 'u', cancelled: true, patch: { path: '/tmp/p', text: undefined, bytes: 99_000 } })
  expect(body).toContain('This run was stopped before it finished. m')
  expect(body).toContain('99000 bytes')
  expect(body).toContain('`patch-path`')
})

test('C138 findings that no review holds are in the reply', () => {
  const body = replyBody('Reviewed.', { ...facts, findings: '#### `src/a.ts`, line 12\n\nOff by one.\n\n```suggestion\nx' }, 10_000)
  expect(body).toContain('These findings could not be posted as a review:\n\n#### `src/a.ts`, line 12\n\nOff by one.\n\n```suggestion\nx\n```\n\n> `a.bin`')
})

test('work that could be given no other way is in the reply as a patch', () => {
  const landed = 'The push was refused: GH006. Nothing could be pushed.'
  const body = replyBody('Done.', { ...facts, landed, patch: { path: '/tmp/p', text: 'diff --git a/x b/x', bytes: 18 } }, 10_000)
  expect(body.indexOf('Done.')).toBeLessThan(body.indexOf(landed))
  expect(body).toContain('<summary>All edits as a patch</summary>')
  expect(body.indexOf(landed)).toBeLessThan(body.indexOf('```diff\ndiff --git a/x b/x\n```'))
})

test('C122 where the answer would have to give way to it, the patch is named only, then the findings are cut', () => {
  const patch = { path: '/tmp/p', text: 'x'.repeat(6_000), bytes: 6_000 }
  const body = (budget: number) => replyBody('word '.repeat(1_000), { ...facts, findings: 'y'.repeat(3_000), patch }, budget)
  expect(body(20_000)).toContain('xxxx')
  expect(body(12_000)).toMatch(/word[\s\S]*yyyy[\s\S]*`patch-path`/)
  expect(body(12_000)).not.toContain('xxxx')
  expect(body(6_000)).toMatch(/word[\s\S]*yyyy[\s\S]*More findings did not fit here/)
  for (const budget of [6_000, 12_000, 20_000]) expect(size(body(budget))).toBeLessThanOrEqual(budget)
})

test('C122 a reply fits even where its notes alone would not', () => {
  const body = replyBody('word '.repeat(1_000), { ...facts, notes: Array.from({ length: 300 }, (_, index) => `note ${index} ${'n'.repeat(100)}`) }, 10_000)
  expect(size(body)).toBeLessThanOrEqual(10_000)
  expect(body).toContain('word word')
  expect(body).toContain('3 steps')
})

test('C122 the comment of a failure fits, whatever the model had answered', () => {
  const patch = { path: '/tmp/p', text: 'x'.repeat(20_000), bytes: 20_000 }
  const body = failureBody({ message: 'm', hint: 'h', runUrl: 'u', cancelled: false, answer: 'a'.repeat(60_000), notes: ['n'], patch })
  expect(size(body)).toBeLessThanOrEqual(40_000)
  expect(body).toContain('xxxx')
  expect(body).toContain('> n')
})
