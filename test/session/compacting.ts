import { type Assistant, noTokens, type Part, type WithParts } from '../../src/session/message.ts'
import type { Piece } from '../../src/session/user.ts'
import { type ChatRequest, type Recorded, type Reply, type SseModel, text } from '../support/sse-model.ts'

/** What the tests of compaction share: requests for summaries, and histories to compact. */

/** A request for a summary is the only one without tools. */
export const asksForSummary = ({ body }: Recorded): boolean => body.tools === undefined

export const summariesOf = ({ requests }: SseModel) => requests.filter(asksForSummary)
export const stepsOf = ({ requests }: SseModel) => requests.filter((request) => !asksForSummary(request))

/** Answers requests for a summary with numbered summaries, everything else by the given reply. */
export function summarising(step: Reply, made?: Reply): Reply {
  let count = 0
  return (response, request) => {
    if (!asksForSummary(request)) return step(response, request)
    count++
    return (made ?? text(`SUMMARY ${count}`))(response, request)
  }
}

/** The content of a request's messages as one text each. */
export const contents = ({ messages }: ChatRequest): string[] =>
  messages.map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`)

const model = { providerID: 'test', modelID: 'test-model' }
let count = 0
const ids = (messageID: string) => ({ id: `prt_0${++count}`, messageID })

export function asked(id: string, ...parts: readonly (string | Piece)[]): WithParts {
  return {
    info: { role: 'user', id, time: { created: 1 }, agent: 'build', model },
    parts: parts.map((part): Part => ({ ...(typeof part === 'string' ? { type: 'text', text: part } : part), ...ids(id) })),
  }
}

export function answered(id: string, parentID: string, parts: readonly (string | Piece)[], rest: Partial<Assistant> = {}): WithParts {
  const info: Assistant = {
    role: 'assistant',
    id,
    parentID,
    time: { created: 1, completed: 2 },
    agent: 'build',
    model,
    finish: 'stop',
    tokens: { ...noTokens, input: 100 },
    cost: 0,
    ...rest,
  }
  return { info, parts: parts.map((part): Part => ({ ...(typeof part === 'string' ? { type: 'text', text: part } : part), ...ids(id) })) }
}

/** A finished call of a tool. */
export function called(output: string, tool = 'read', input: Record<string, unknown> = { path: 'a' }): Piece {
  const state = { status: 'completed' as const, input, output, title: 'done', metadata: {}, time: { start: 1, end: 2 } }
  return { type: 'tool', callID: `call_0${++count}`, tool, state }
}

export const png = (data = 'AAAA') => ({ type: 'file' as const, mime: 'image/png', filename: 'cat.png', url: `data:image/png;base64,${data}` })

/** Tokens over the limit of the model the tests use. */
export const full: Partial<Assistant> = { tokens: { ...noTokens, input: 95_000 } }
