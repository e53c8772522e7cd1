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
