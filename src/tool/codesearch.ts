import { z } from 'zod'
import { type Draft, draft } from './draft.ts'
import { need } from './needs.ts'
import { callService, UnknownTool } from './net/rpc.ts'
import { exa, type SearchOptions } from './net/services.ts'
import { integer } from './parameters.ts'

const defaultTokens = 5_000
const parameters = z.object({
  query: z.string().min(1).describe('Library, function or task to find code and documentation for'),
  tokensNum: integer(1_000, `Tokens of the answer, default ${defaultTokens}, at most 50000`),
})

/** Looks up code examples and documentation with Exa. Without its key there is no such tool (DECISIONS 11). */
export function codesearchTool(options: SearchOptions): Draft | undefined {
  const service = exa(options, 'get_code_context_exa', 'web_search_exa')
  if (!service) return undefined
  return draft(
    'codesearch',
    parameters,
    ({ query }) => need('codesearch', query),
    async ({ query, tokensNum }, { signal }) => {
      const input = { query, tokensNum: Math.min(tokensNum ?? defaultTokens, 50_000) }
      const output = await callService(service, 'get_code_context_exa', input, signal).catch((error: unknown) => {
        // Exa has announced that its code search becomes part of its general one.
        if (error instanceof UnknownTool) return callService(service, 'web_search_exa', { query, numResults: 8, type: 'auto' }, signal)
        throw error
      })
      return { title: query, output: output || 'No results.', metadata: { service: service.name } }
    },
  )
}
