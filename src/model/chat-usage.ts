/** Counts of a chat completion, in the names that `chat-repair.ts` gives them. */
type ChatUsage =
  | {
      readonly prompt_tokens?: number | null | undefined
      readonly completion_tokens?: number | null | undefined
      readonly prompt_tokens_details?: Readonly<Record<string, unknown>> | null | undefined
      readonly completion_tokens_details?: Readonly<Record<string, unknown>> | null | undefined
    }
  | null
  | undefined

/** The counts as the AI SDK has them; other than the package's own, with what was written to a cache, which costs more than what was just read. */
export function chatUsage(usage: ChatUsage) {
  const { prompt_tokens: prompt, completion_tokens: completion, prompt_tokens_details: sent, completion_tokens_details: written } = usage ?? {}
  const [cacheRead, cacheWrite, reasoning] = [count(sent?.cached_tokens), count(sent?.cache_write_tokens), count(written?.reasoning_tokens)]
  const total = prompt ?? undefined
  const output = completion ?? undefined
  return {
    inputTokens: { total, noCache: total === undefined ? undefined : Math.max(0, total - cacheRead - cacheWrite), cacheRead, cacheWrite },
    outputTokens: { total: output, text: output === undefined ? undefined : Math.max(0, output - reasoning), reasoning },
  }
}

const count = (value: unknown): number => (typeof value === 'number' ? value : 0)
