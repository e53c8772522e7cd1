import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/failure.ts'
import type { PermissionNeed } from '../../src/tool/permission.ts'
import { bench as plainBench } from './kit.ts'
import { loopback, site } from './net/site.ts'

const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
const bench = () => plainBench({ repository: false, web: { network: loopback } })

/** One page, as the tool gives it. */
async function fetched(type: string | undefined, body: string | Buffer, input: Record<string, unknown> = {}) {
  const server = await site((_request, response) => response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body))
  return bench().call('webfetch', { url: `${server.url}/page`, ...input })
}
async function refused(status: number, headers: Record<string, string> = {}) {
  const server = await site((_request, response) => response.writeHead(status, headers).end('x'))
  return bench().failure('webfetch', { url: server.url })
}

describe('a page', () => {
  it('is Markdown unless told otherwise', async () => {
    const html = '<h1>Head</h1><script>x</script><p>a <b>b</b></p>'
    expect((await fetched('text/html; charset=utf-8', html)).output).toBe('# Head\n\na **b**')
    expect((await fetched('text/html', html, { format: 'text' })).output).toBe('Head\n\na b')
    expect((await fetched('text/html', html, { format: 'html' })).output).toBe(html)
    expect((await fetched(undefined, `<!doctype html>${html}`, { format: null })).output).toBe('# Head\n\na **b**')
  })

  it('that is no HTML stays as it is, svg too', async () => {
    expect((await fetched('text/plain; charset=utf-8', '# a <b>b</b>')).output).toBe('# a <b>b</b>')
    expect((await fetched('application/json', '{"a":1}')).output).toBe('{"a":1}')
    const svg = await fetched('image/svg+xml; charset=utf-8', '<svg><text>x</text></svg>')
    expect(svg.output).toBe('<svg><text>x</text></svg>')
    expect(svg.attachments).toBeUndefined()
  })

  it('that is an image or a PDF is attached, whatever parameters its type has', async () => {
    const { output, attachments } = await fetched('image/png; foo=bar', png)
    expect(output).toMatch(/The image http.*\(image\/png, 10 bytes\) is attached/)
    expect(attachments).toEqual([{ type: 'file', mime: 'image/png', url: `data:image/png;base64,${png.toString('base64')}`, filename: 'page' }])
    expect((await fetched('application/pdf', '%PDF-1.7 x')).attachments?.[0]?.mime).toBe('application/pdf')
  })

  it('is read in its own character set', async () => {
    expect((await fetched('text/plain; charset=iso-8859-1', Buffer.from([0x67, 0xfc]))).output).toBe('gü')
    expect((await fetched('text/html', Buffer.concat([Buffer.from('<meta charset="windows-1252"><p>'), Buffer.from([0x80])]))).output).toBe('€')
    expect((await fetched('text/plain; charset=nobody-knows', 'ü')).output).toBe('ü')
  })

  it('that is empty, binary or of another kind of image is said to be', async () => {
    expect((await fetched('text/html', '')).output).toBe('(the page is empty)')
    const binary = await site((request, response) => {
      response.writeHead(200, { 'content-type': request.url === '/zip' ? 'application/zip' : 'image/avif' }).end(Buffer.from([1, 0, 2]))
    })
    expect(await bench().failure('webfetch', { url: `${binary.url}/zip` })).toMatch(/is a binary file of type application\/zip\. Download it with curl/)
    expect(await bench().failure('webfetch', { url: `${binary.url}/avif` })).toContain('is an image of type image/avif, which cannot be shown')
  })

  it('that is long is cut, with the whole of it in a file', async () => {
    const { output, metadata } = await fetched('text/plain', 'line\n'.repeat(3_000))
    expect(output).toContain('...1000 lines')
    expect(metadata).toMatchObject({ truncated: true, outputPath: expect.stringContaining('tool_') })
  })

  it('of more than 5 MiB is refused', async () => {
    const server = await site((_request, response) => response.writeHead(200).end(Buffer.alloc(5 * 1024 * 1024 + 1, 'x')))
    expect(await bench().failure('webfetch', { url: server.url })).toContain('has more than 5242880 bytes')
  })
})

describe('a page that is not given', () => {
  it('says why and what to do', async () => {
    expect(await refused(403)).toMatch(/answered 403: access is refused\. The page may need a sign-in/)
    expect(await refused(403, { 'cf-mitigated': 'challenge' })).toContain('the site lets only browsers in')
    expect(await refused(404)).toMatch(/answered 404: there is no such page\. Check the address/)
    expect(await refused(429)).toContain('too many requests')
    expect(await refused(503)).toContain('the server failed')
    expect(await refused(418)).toContain('answered 418')
  })

  it('is one of this machine, with the network of a run', async () => {
    const server = await site((_request, response) => response.end('secret'))
    const b = plainBench({ repository: false })
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]']) {
      expect(await b.failure('webfetch', { url: `http://${host}:${server.port}/` })).toMatch(/not on the public internet.*use curl through bash/s)
    }
    expect(server.requests).toEqual([])
  })

  it('is one the arguments do not name', async () => {
    expect(await bench().failure('webfetch', { url: 'file:///etc/passwd' })).toContain('not an http or https address')
    expect(await bench().failure('webfetch', { url: 'https://x.example', format: 'pdf' })).toContain('format')
    expect(await bench().failure('webfetch', { url: 'https://x.example', timeout: 0 })).toContain('timeout')
  })
})

describe('a redirect', () => {
  it('is followed and told', async () => {
    const server = await site((request, response) => (request.url === '/' ? response.writeHead(301, { location: '/new' }).end() : response.end('here')))
    const { output, metadata } = await bench().call('webfetch', { url: server.url })
    expect(output).toBe(`(${server.url} leads to ${server.url}/new)\n\nhere`)
    expect(metadata.url).toBe(`${server.url}/new`)
  })

  it('needs a permission of its own', async () => {
    const server = await site((_request, response) => response.writeHead(302, { location: '/denied' }).end())
    const tool = bench().tools.find(({ id }) => id === 'webfetch')
    const asked: PermissionNeed[] = []
    const ask = (need: PermissionNeed) => {
      asked.push(need)
      throw new Failure('not allowed', 'stay here')
    }
    const signal = new AbortController().signal
    const call = tool?.execute({ url: server.url }, { sessionID: 's', messageID: 'm', callID: 'c', agent: 'build', signal, metadata: () => undefined, ask })
    await expect(call).rejects.toThrow('not allowed')
    expect(asked).toEqual([{ permission: 'webfetch', patterns: [`${server.url}/denied`] }])
    expect(server.requests).toHaveLength(1)
  })
})

describe('what a call needs', () => {
  it('is webfetch for its address, as written and as it is understood', () => {
    const tool = bench().tools.find(({ id }) => id === 'webfetch')
    const patterns = (url: string) => tool?.permission?.({ url }, [])
    expect(patterns('https://x.example/a')).toEqual([{ permission: 'webfetch', patterns: ['https://x.example/a'] }])
    expect(patterns('https://x.example')).toEqual([{ permission: 'webfetch', patterns: ['https://x.example'] }])
    expect(patterns('HTTPS://X.example:443/b/../a')).toEqual([{ permission: 'webfetch', patterns: ['HTTPS://X.example:443/b/../a', 'https://x.example/a'] }])
  })
})
