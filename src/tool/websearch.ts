import { z } from 'zod'
import { type Draft, draft } from './draft.ts'
import { need } from './needs.ts'
import { callService, type SearchService } from './net/rpc.ts'
import { exa, parallel, type SearchOptions } from './net/services.ts'
import { integer } from './parameters.ts'

const defaultResults = 8
const parameters = z.object({
  query: z.string().min(1).describe('What to look for'),
  numResults: integer(1, `Number of results, default ${defaultResults}`),
})

/** Searches the web with Exa, or with Parallel when only its key is there. Without a key there is no such tool (DECISIONS 11). */
export function websearchTool(options: SearchOptions): Draft | undefined {
  const found = exa(options) ?? parallel(options)
  if (!found) return undefined
  return draft(
    'websearch',
    parameters,
    ({ query }) => need('websearch', query),
    async ({ query, numResults = defaultResults }, { signal }) => {
      const output = await search(found, { query, numResults }, signal)
      return { title: query, output: output || 'No results.', metadata: { service: found.name } }
    },
  )
}

function search(service: SearchService, { query, numResults }: { query: string; numResults: number }, signal: AbortSignal) {
  return service.name === 'Exa'
    ? callService(service, 'web_search_exa', { query, numResults, type: 'auto', livecrawl: 'fallback' }, signal)
    : callService(service, 'web_search', { objective: query, search_queries: [query], max_results: numResults }, signal)
}
