import { expect, test } from 'vitest'
import { formatCost, formatTokens } from '../../src/report/figures.ts'
import { summaryOf } from '../../src/report/summary.ts'
import { noTokens, type WithParts } from '../../src/session/message.ts'
import { answered, called, sampleMessages, sampleSession } from './sample-session.ts'

const model = { providerID: 'openai', modelID: 'gpt-5.4' }
const messages: WithParts[] = [
  {
    info: { role: 'user', id: 'msg_1', time: { created: 0 }, agent: 'build', model, source: { kind: 'comment', author: 'alice' } },
    parts: [{ type: 'text', id: 'prt_1', messageID: 'msg_1', text: 'fix it' }],
  },
  {
    info: { role: 'assistant', id: 'msg_2', parentID: 'msg_1', time: { created: 1 }, agent: 'build', model, tokens: noTokens, cost: 0 },
    parts: [
      {
        type: 'tool',
        id: 'prt_2',
        messageID: 'msg_2',
        callID: 'c1',
        tool: 'bash',
        state: { status: 'completed', input: { command: 'a | b' }, output: 'x ``` y', title: 'a | b\nc', metadata: {}, time: { start: 0, end: 1500 } },
      },
      {
        type: 'step-finish',
        id: 'prt_3',
        messageID: 'msg_2',
        reason: 'stop',
        tokens: { input: 10, output: 5, reasoning: 2, cache: { read: 1, write: 0 } },
        cost: 0.5,
      },
    ],
  },
]

test('figures read well', () => {
  expect([842, 12_345, 1_234_567].map(formatTokens)).toEqual(['842', '12.3k', '1.2M'])
  expect([0, 0.004, 1.5].map(formatCost)).toEqual(['$0.00', '<$0.01', '$1.50'])
})

test('the summary shows conclusion, files, notes and tool calls as one table', () => {
  const text = summaryOf({
    conclusion: 'success',
    reason: 'Answered.',
    model: 'openai/gpt-5.4',
    usage: { steps: 1, tokens: { input: 10, output: 5, reasoning: 2, cache: { read: 1, write: 0 } }, cost: 0.5 },
    messages,
    files: [{ path: 'a.ts', status: 'modified' }],
    notes: ['One comment was left out.'],
    requests: 7,
  })
  expect(text).toContain('## opencode: success')
  expect(text).toContain('- `a.ts` (modified)')
  expect(text).toContain('- One comment was left out.')
  expect(text).toContain('| `bash` | `a \\| b c` | completed | 1.5 s |')
  expect(text).toContain('| GitHub requests | 7 |')
})

test('the summary shows every step with time, tokens, cost and tools, then the subtasks', () => {
  const usage = { steps: 2, tokens: { input: 100, output: 20, reasoning: 0, cache: { read: 0, write: 0 } }, cost: 0.1 }
  const child = { session: sampleSession({ title: 'Look for callers', usage }), messages: sampleMessages().slice(0, 3) }
  const text = summaryOf({ conclusion: 'success', reason: '', messages: sampleMessages(), subtasks: [child] })
  expect(text).toContain('| step | model | time | tokens in | from cache | tokens out | cost | tools |')
  expect(text).toContain('| 2 | `openai/gpt-5.4` | 3.8 s | 6.1k | 5.2k | 280 | <$0.01 | `read`, `bash` |')
  expect(text).toContain('| 4 | `openai/gpt-5.4` | 3.4 s | 7.3k | 6.8k | 280 | <$0.01 | `bash` ×2 |')
  expect(text).toContain('| subtask `Look for callers` | `openai/gpt-5.4` | 6.5 s | 100 | 0 | 20 | $0.10 | 2 steps |')
})

test('a step that failed says why', () => {
  const failed = answered(1, [], { took: 1, info: { error: { name: 'APIError', message: 'overloaded | <b>' } } })
  expect(summaryOf({ conclusion: 'failure', reason: '', messages: [failed] })).toContain('| failed: `APIError: overloaded \\| <b>` |')
})

test('the summary shows what was taken out, what would have been done, and how the tools were shut in', () => {
  const usage = { steps: 1, tokens: noTokens, cost: 0 }
  const text = summaryOf({
    conclusion: 'success',
    reason: '',
    model: 'a/b',
    usage,
    redactions: [
      { kind: 'GitHub token', count: 1 },
      { kind: 'secret of this run', count: 2 },
    ],
    sandbox: 'own process namespace, no new privileges',
    staged: '## What would have been done\n\n- label #12 with `bug`',
  })
  expect(text).toContain('### Taken out as secrets\n\n- GitHub token: 1 different text\n- secret of this run: 2 different texts')
  expect(text).toContain('\n\n## What would have been done\n\n- label #12 with `bug`')
  expect(text).toContain('| Isolation of the tools | own process namespace, no new privileges |')
})

test('C134 of a very long run the last steps and calls are shown, and the answer still has room', () => {
  const many = Array.from({ length: 3_000 }, (_, index) =>
    answered(index, [called({ tool: 'bash', input: {}, title: `command ${index}`, at: index, took: 1 })], { took: 1 }),
  )
  const text = summaryOf({ conclusion: 'success', reason: '', messages: many, answer: 'Done.' })
  expect(text).toContain('The last 100 of 3000 steps; the transcript has them all.')
  expect(text).toContain('`command 2999`')
  expect(text).toContain('### Answer\n\nDone.')
})

test('C134 the summary stays below the size at which GitHub drops it', () => {
  const text = summaryOf({ conclusion: 'success', reason: '', answer: 'é'.repeat(3_000_000) })
  expect(Buffer.byteLength(text)).toBeLessThan(1_048_576)
  expect(text).toContain('The summary was cut here')
})
