import type { LanguageModelMiddleware } from 'ai'
import { isRecord } from '../json.ts'
import type { StreamPart } from './steady.ts'

type Detail = Record<string, unknown>

/**
 * OpenRouter sends what a model thought, with its signatures, in `reasoning_details`, and wants them back unchanged beside the tool calls they
 * led to: Gemini refuses to go on without. They travel with the first call, from where `chat-dialect.ts` puts them into the next request.
 */
export function keepDetails(): LanguageModelMiddleware {
  return {
    specificationVersion: 'v4',
    transformParams: async ({ params, type }) => (type === 'stream' ? { ...params, includeRawChunks: true } : params),
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream()
      const details: Detail[] = []
      let attached = false
      const parts = stream.pipeThrough(
        new TransformStream<StreamPart, StreamPart>({
          transform(part, controller) {
            if (part.type === 'raw') return collect(part.rawValue, details)
            if (part.type !== 'tool-call' || attached || details.length === 0) return controller.enqueue(part)
            attached = true
            const carried = { openaiCompatible: { reasoning_details: JSON.parse(JSON.stringify(details)) } }
            controller.enqueue({ ...part, providerMetadata: { ...part.providerMetadata, ...carried } })
          },
        }),
      )
      return { ...rest, stream: parts }
    },
  }
}

/** Adds the details of a chunk; what continues the last one is joined to it. */
function collect(chunk: unknown, details: Detail[]): void {
  const choices = isRecord(chunk) && Array.isArray(chunk.choices) ? chunk.choices : []
  for (const choice of choices) {
    const delta = isRecord(choice) && isRecord(choice.delta) ? choice.delta : {}
    for (const detail of Array.isArray(delta.reasoning_details) ? delta.reasoning_details.filter(isRecord) : []) {
      const last = details.at(-1)
      if (last && last.type === detail.type && last.index === detail.index) Object.assign(last, joined(last, detail))
      else details.push({ ...detail })
    }
  }
}

function joined(before: Detail, after: Detail): Detail {
  const known = Object.fromEntries(Object.entries(after).filter(([, value]) => value !== null && value !== undefined))
  const texts = ['text', 'summary', 'data'].flatMap((key) => {
    const [a, b] = [before[key], after[key]]
    return typeof a === 'string' && typeof b === 'string' ? [[key, a + b]] : []
  })
  return { ...known, ...Object.fromEntries(texts) }
}
