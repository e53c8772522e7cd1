import type { SearchService } from './rpc.ts'

/** Keys of search services, and where these are; only tests say another place. */
export interface SearchOptions {
  /** `EXA_API_KEY`. */
  readonly exaKey?: string
  /** `PARALLEL_API_KEY`. */
  readonly parallelKey?: string
  readonly exaURL?: string
  readonly parallelURL?: string
}

/** Exa, when its key is there. Tools it does not offer by itself are named in the address. */
export function exa({ exaKey, exaURL = 'https://mcp.exa.ai/mcp' }: SearchOptions, ...tools: string[]): SearchService | undefined {
  if (!exaKey) return undefined
  const url = new URL(exaURL)
  if (tools.length > 0) url.searchParams.set('tools', tools.join(','))
  return { name: 'Exa', url: url.href, headers: { 'x-api-key': exaKey }, variable: 'EXA_API_KEY' }
}

/** Parallel, when its key is there. */
export function parallel({ parallelKey, parallelURL = 'https://search.parallel.ai/mcp' }: SearchOptions): SearchService | undefined {
  if (!parallelKey) return undefined
  return { name: 'Parallel', url: parallelURL, headers: { authorization: `Bearer ${parallelKey}` }, variable: 'PARALLEL_API_KEY' }
}
