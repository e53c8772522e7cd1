import { describe, expect, it } from 'vitest'
import { bench } from './kit.ts'
import { site } from './net/site.ts'

interface Call {
  readonly url: string | undefined
  readonly headers: Record<string, unknown>
  readonly body: unknown
}

/** A search service that answers every call the same, or as told. */
async function service(answer: (call: Call, at: number) => { status?: number; type?: string; body: string }) {
  const calls: Call[] = []
  const { url } = await site(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const call = { url: request.url, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) }
    const { status = 200, type = 'application/json', body } = answer(call, calls.push(call) - 1)
    response.writeHead(status, { 'content-type': type, ...(status === 302 ? { location: '/elsewhere' } : {}) }).end(body)
  })
  return { url: `${url}/mcp`, calls }
}
const result = (text: string, isError = false) => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }], isError } })
const event = (data: string) => `event: message\ndata: ${data}\n\n`
const ids = (search: Parameters<typeof bench>[0] = {}) => bench({ repository: false, ...search }).tools.map(({ id }) => id)

describe('the search tools', () => {
  it('are there only with a key', () => {
    const which = (search: { exaKey?: string; parallelKey?: string }) => ids({ search }).filter((id) => id.endsWith('search'))
    expect(which({})).toEqual([])
    expect(which({ exaKey: 'k' })).toEqual(['websearch', 'codesearch'])
    expect(which({ parallelKey: 'k' })).toEqual(['websearch'])
    expect(which({ exaKey: '' })).toEqual([])
  })

  it('need a permission for what is looked for', () => {
    const { tools } = bench({ repository: false, search: { exaKey: 'k' } })
    for (const name of ['websearch', 'codesearch']) {
      expect(tools.find(({ id }) => id === name)?.permission?.({ query: 'a b' }, [])).toEqual([{ permission: name, patterns: ['a b'] }])
    }
  })
})

describe('websearch', () => {
  it('asks Exa with the key in a header only, and reads a stream of events', async () => {
    const { url, calls } = await service(() => ({ type: 'text/event-stream', body: event(result('found')) }))
    const b = bench({ repository: false, search: { exaKey: 'exa-key', parallelKey: 'other', exaURL: url } })
    expect((await b.call('websearch', { query: 'a b' })).output).toBe('found')
    expect(calls[0]?.body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'web_search_exa', arguments: { query: 'a b', numResults: 8, type: 'auto', livecrawl: 'fallback' } },
    })
    expect(calls[0]?.headers['x-api-key']).toBe('exa-key')
    expect(calls[0]?.url).toBe('/mcp')
  })

  it('asks Parallel when only its key is there, and reads plain JSON', async () => {
    const { url, calls } = await service(() => ({ body: result('found') }))
    const b = bench({ repository: false, search: { parallelKey: 'p-key', parallelURL: url } })
    expect((await b.call('websearch', { query: 'a b', numResults: 3 })).output).toBe('found')
    expect(calls[0]?.body).toMatchObject({ params: { name: 'web_search', arguments: { objective: 'a b', search_queries: ['a b'], max_results: 3 } } })
    expect(calls[0]?.headers.authorization).toBe('Bearer p-key')
  })

  it('says so when nothing is found', async () => {
    const { url } = await service(() => ({ body: result('') }))
    expect((await bench({ repository: false, search: { exaKey: 'k', exaURL: url } }).call('websearch', { query: 'x' })).output).toBe('No results.')
  })

  it.each([
    ['a refused key', { status: 401, body: '{}' }, /Exa refused the key \(401\)\. The key in EXA_API_KEY does not work/],
    ['too many requests', { status: 429, body: '' }, /Exa answered 429/],
    ['an error of the protocol', { status: 400, body: '{"error":{"code":-1,"message":"bad"}}' }, /could not carry out the search: bad/],
    ['an error of the tool', { body: result('quota used up', true) }, /could not carry out the search: quota used up/],
    ['nonsense', { body: '<html>' }, /sent an answer that could not be read/],
    ['a redirect, which would take the key along', { status: 302, body: '' }, /could not be reached/],
    ['too much', { body: result('x'.repeat(6_000_000)) }, /sent more than 5242880 bytes/],
  ])('explains %s without the key', async (_name, answer, message) => {
    const { url, calls } = await service(() => answer)
    const failure = await bench({ repository: false, search: { exaKey: 'secret-key', exaURL: url } }).failure('websearch', { query: 'x' })
    expect(failure).toMatch(message)
    expect(failure).not.toContain('secret-key')
    expect(calls).toHaveLength(1)
  })

  it('ends with the run', async () => {
    const stop = new AbortController()
    const { url } = await site(() => stop.abort(new Error('cancelled')))
    const b = bench({ repository: false, search: { exaKey: 'k', exaURL: url } })
    await expect(b.call('websearch', { query: 'x' }, stop.signal)).rejects.toThrow('cancelled')
  })
})

describe('codesearch', () => {
  it('asks Exa for code, with a number of tokens', async () => {
    const { url, calls } = await service(() => ({ body: result('code') }))
    const b = bench({ repository: false, search: { exaKey: 'k', exaURL: url } })
    expect((await b.call('codesearch', { query: 'zod union' })).output).toBe('code')
    await b.call('codesearch', { query: 'zod union', tokensNum: 90_000 })
    expect(calls.map(({ body }) => body)).toMatchObject([
      { params: { name: 'get_code_context_exa', arguments: { query: 'zod union', tokensNum: 5_000 } } },
      { params: { arguments: { tokensNum: 50_000 } } },
    ])
    expect(calls[0]?.url).toBe('/mcp?tools=get_code_context_exa%2Cweb_search_exa')
    expect(await b.failure('codesearch', { query: 'x', tokensNum: 10 })).toContain('tokensNum')
  })

  it('takes the general search where the one for code is gone', async () => {
    const { url, calls } = await service((_call, at) => ({
      body: at === 0 ? result('MCP error -32602: Tool get_code_context_exa not found', true) : result('pages'),
    }))
    expect((await bench({ repository: false, search: { exaKey: 'k', exaURL: url } }).call('codesearch', { query: 'x' })).output).toBe('pages')
    expect(calls[1]?.body).toMatchObject({ params: { name: 'web_search_exa', arguments: { query: 'x' } } })
  })
})
