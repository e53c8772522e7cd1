import { expect, test } from 'vitest'
import { formatCost, formatTokens } from '../../src/report/figures.ts'
import { summaryOf } from '../../src/report/summary.ts'
import { transcriptOf } from '../../src/report/transcript.ts'
import { noTokens, type Session, type WithParts } from '../../src/session/message.ts'

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
  expect(text).toContain('| bash | a \\| b c | completed | 1.5 s |')
  expect(text).toContain('| GitHub requests | 7 |')
})

test('C134 the summary stays below the size at which GitHub drops it', () => {
  const text = summaryOf({ conclusion: 'success', reason: '', answer: 'é'.repeat(3_000_000) })
  expect(Buffer.byteLength(text)).toBeLessThan(1_048_576)
  expect(text).toContain('The summary was cut here')
})

test('the transcript holds every message with its tool calls', () => {
  const session: Session = {
    id: 'ses_1',
    title: 'Dates',
    agent: 'build',
    model,
    created: 0,
    todos: [],
    handled: [],
    usage: { steps: 0, tokens: noTokens, cost: 0 },
  }
  const text = transcriptOf(session, messages)
  expect(text).toContain('# Dates')
  expect(text).toContain('## User (@alice), 1970-01-01T00:00:00.000Z\n\nfix it')
  expect(text).toContain('````\nx ``` y\n````')
})
