import type { LanguageModelMiddleware } from 'ai'
import { brokenOff, clarify, type Where } from './faults.ts'
import { streamHeaders } from './fetch.ts'
import type { Protocol } from './model.ts'

type Stream = Awaited<ReturnType<NonNullable<LanguageModelMiddleware['wrapStream']>>>['stream']
/** One thing that comes from a provider package. */
export type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never
type Params = Parameters<NonNullable<LanguageModelMiddleware['transformParams']>>[0]['params']

/**
 * Makes the provider packages behave alike. Errors of every origin come as `APICallError` (see `faults.ts`). An answer that
 * stops without a reason to is an error, and tool calls are handed out only when the answer is known to be whole, so that
 * half of one is never run (C151, C157).
 */
export function steady(protocol: Protocol, where: Where): LanguageModelMiddleware {
  return {
    async transformParams({ params, type }) {
      // Bedrock answers in frames of its own.
      const headers = type === 'stream' && protocol !== 'bedrock' ? { ...params.headers, ...streamHeaders } : params.headers
      const suited = protocol === 'openai-responses' ? forResponses(params) : protocol === 'bedrock' ? forBedrock(params) : params
      return headers === undefined ? suited : { ...suited, headers }
    },
    async wrapGenerate({ doGenerate }) {
      try {
        return await doGenerate()
      } catch (error) {
        throw clarify(error, where)
      }
    },
    async wrapStream({ doStream }) {
      try {
        const { stream, ...rest } = await doStream()
        return { ...rest, stream: wholeAnswers(stream, protocol, where) }
      } catch (error) {
        throw clarify(error, where)
      }
    },
  }
}

/**
 * OpenAI's Responses API keeps every answer on its servers unless told not to, and then wants it quoted by id; a thread that
 * goes on weeks later must carry its own history. Its tools are lenient unless said otherwise: optional parameters stay optional.
 */
function forResponses(params: Params): Params {
  const tools = params.tools?.map((tool) => (tool.type === 'function' ? { strict: false, ...tool } : tool))
  const providerOptions = { ...params.providerOptions, openai: { store: false, ...params.providerOptions?.openai } }
  return { ...params, providerOptions, ...(tools === undefined ? {} : { tools }) }
}

/**
 * Bedrock can't be told to call no tool. Its package would leave the tools out, and with them every call and result in the history; so they
 * are offered, and a call that comes is refused where calls are executed (DECISIONS 1).
 */
function forBedrock(params: Params): Params {
  return params.toolChoice?.type === 'none' ? { ...params, toolChoice: { type: 'auto' } } : params
}

function wholeAnswers(stream: Stream, protocol: Protocol, where: Where): Stream {
  const parts = stream.getReader()
  const held: StreamPart[] = []
  let failed = false
  let finished = false
  return new ReadableStream<StreamPart>({
    async pull(controller) {
      try {
        // A part that is held back gives the reader nothing, so the next one is fetched.
        for (let ready: StreamPart[] = []; ready.length === 0; ) {
          const { done, value } = await parts.read()
          if (done && !finished) throw brokenOff(where)
          if (done) return controller.close()
          ready = passed(value)
          for (const part of ready) controller.enqueue(part)
        }
      } catch (error) {
        controller.error(clarify(error, where))
      }
    },
    cancel: (reason) => parts.cancel(reason),
  })

  function passed(part: StreamPart): StreamPart[] {
    if (part.type === 'error') {
      failed = true
      return [{ type: 'error', error: clarify(part.error, where) }]
    }
    if (part.type === 'tool-call' && part.providerExecuted !== true) {
      held.push(part)
      return []
    }
    if (part.type !== 'finish') return [part]
    finished = true
    const { unified, raw } = part.finishReason
    // Bedrock's package has no word for an end that did not come: it gives no reason at all.
    const broken = !failed && (unified === 'interrupted' || (protocol === 'bedrock' && raw === undefined))
    if (!failed && !broken) return [...held.splice(0), part]
    const finish: StreamPart = { ...part, finishReason: { unified: 'error', raw } }
    return broken ? [{ type: 'error', error: brokenOff(where) }, finish] : [finish]
  }
}
