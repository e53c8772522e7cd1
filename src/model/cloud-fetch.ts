import { isRecord } from '../json.ts'
import type { Cloud } from './cloud.ts'

type Fetch = typeof globalThis.fetch

interface Access {
  readonly cloud: Cloud
  readonly apiKey?: string | undefined
}

/**
 * Lets the client of a protocol speak to a cloud: the way the key is shown is the cloud's, and Claude on Google Cloud has addresses and a
 * body of its own. Signing for AWS is its package's.
 */
export function cloudFetch({ cloud, apiKey }: Access, fetch: Fetch): Fetch {
  if (cloud.kind === 'aws') return fetch
  const file = cloud.kind === 'google' ? cloud.file : undefined
  const loading = file === undefined ? undefined : import('./google-token.ts').then(({ googleTokens }) => googleTokens(file))
  loading?.catch(() => undefined)
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const headers = new Headers(init?.headers)
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']) headers.delete(name)
    const shown = loading ? await (await loading)() : apiKey
    const isToken = cloud.isToken || file !== undefined
    const keyHeader = cloud.kind === 'google' ? 'x-goog-api-key' : /\/messages$/.test(url) ? 'x-api-key' : 'api-key'
    if (shown !== undefined) headers.set(isToken ? 'authorization' : keyHeader, isToken ? `Bearer ${shown}` : shown)
    const claude = cloud.kind === 'google' && /\/messages$/.test(url) ? onVertex(url, init?.body) : undefined
    return fetch(claude?.url ?? url, { ...init, headers, ...(claude ? { body: claude.body } : {}) })
  }
}

/** Claude's requests as Vertex AI takes them: the model is part of the address, and the version part of the body. */
function onVertex(url: string, body: unknown): { url: string; body: string } {
  const { model, ...rest }: Record<string, unknown> = typeof body === 'string' ? asRecord(JSON.parse(body)) : {}
  const verb = rest.stream === true ? 'streamRawPredict' : 'rawPredict'
  return {
    url: url.replace(/\/messages$/, `/models/${String(model)}:${verb}`),
    body: JSON.stringify({ ...rest, anthropic_version: 'vertex-2023-10-16' }),
  }
}

const asRecord = (value: unknown) => (isRecord(value) ? value : {})
