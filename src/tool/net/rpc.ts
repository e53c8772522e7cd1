import { z } from 'zod'
import { textUpTo } from '../../body.ts'
import { messageOf } from '../../failure.ts'
import { parseJson } from '../../json.ts'
import { ToolError } from '../errors.ts'

/** A search service that speaks MCP's JSON-RPC. The key goes to it in a header and nowhere else. */
export interface SearchService {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The variable the key comes from, for people. */
  readonly variable: string
}

/** The service does not have the tool (any more). */
export class UnknownTool extends ToolError {}

const Content = z.array(z.object({ type: z.string(), text: z.string().optional() }))
const Answer = z.union([
  z.object({ error: z.object({ code: z.number().optional(), message: z.string() }) }),
  z.object({ result: z.object({ content: Content, isError: z.boolean().optional() }) }),
])

/** Time for a search, in ms (the engine's description 3.10), and bytes of its answer. */
const timeout = 25_000
const maxBytes = 5 * 1024 * 1024

/** Calls a tool of a search service and returns its text. Throws `ToolError`, or the reason of the caller's signal. */
export async function callService(service: SearchService, tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<string> {
  const clock = AbortSignal.timeout(timeout)
  const fault = (what: string, hint = 'Try again, or do without the search.', cause?: unknown) => new ToolError(`${service.name} ${what}.`, hint, { cause })
  let text: string | undefined
  try {
    const response = await fetch(service.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...service.headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: input } }),
      signal: AbortSignal.any([signal, clock]),
      // A redirect would carry the key to another place.
      redirect: 'error',
    })
    if (response.status === 401 || response.status === 403)
      throw fault(`refused the key (${response.status})`, `The key in ${service.variable} does not work; do without the search.`)
    if (!response.ok && response.status !== 400) throw fault(`answered ${response.status}`)
    text = await textUpTo(response, maxBytes)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (clock.aborted) throw fault(`did not answer within ${timeout / 1_000} s`)
    throw error instanceof ToolError ? error : fault(`could not be reached: ${messageOf(error)}`, undefined, error)
  }
  if (text === undefined) throw fault(`sent more than ${maxBytes} bytes`, 'Ask for less.')
  const answer = answerIn(text)
  if (!answer) throw fault('sent an answer that could not be read')
  if ('error' in answer) throw refusal(answer.error.message, service)
  const found = answer.result.content.flatMap((part) => (part.type === 'text' && part.text ? [part.text] : [])).join('\n\n')
  if (answer.result.isError) throw refusal(found, service)
  return found
}

function refusal(message: string, { name }: SearchService): ToolError {
  const Fault = /\btool\b.*\bnot found\b|\bunknown tool\b/i.test(message) ? UnknownTool : ToolError
  return new Fault(`${name} could not carry out the search: ${message}`, 'Change the query, or do without the search.')
}

/** The answer in a JSON document or in the first event of a stream that is one. */
function answerIn(text: string): z.infer<typeof Answer> | undefined {
  const events = text.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
  for (const candidate of [...events, text]) {
    const parsed = Answer.safeParse(parseJson(candidate))
    if (parsed.success) return parsed.data
  }
  return undefined
}
