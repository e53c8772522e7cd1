import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/failure.ts'
import { type Network, publicNetwork } from '../../../src/tool/net/address.ts'
import { type GetOptions, getPage } from '../../../src/tool/net/get.ts'
import { loopback, site } from './site.ts'

const get = (url: string, options: Partial<GetOptions> = {}) =>
  getPage(url, { network: loopback, headers: {}, timeout: 5_000, maxBytes: 1_000, signal: new AbortController().signal, ...options })
const refusal = async (url: string, options: Partial<GetOptions> = {}) => {
  const error = await get(url, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(Failure)
  return error instanceof Error ? error.message : ''
}

describe('the public network', () => {
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2001:0:53aa:64c:0:0:80ff:fffe',
    '2001:db8::1',
    '2002:7f00:1::',
    '4000::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
  ])('does not hold %s', async (address) => {
    expect((await publicNetwork()).permits(address)).toBe(false)
  })

  it.each(['8.8.8.8', '140.82.112.3', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001:81a::200e', '::ffff:8.8.8.8', '64:ff9b::808:808'])(
    'holds %s',
    async (address) => {
      expect((await publicNetwork()).permits(address)).toBe(true)
    },
  )
})

describe('an address that is not public', () => {
  /** Addresses as the real network judges them; names are loopback's. */
  const real = async (resolve: Network['resolve'] = async () => [{ address: '127.0.0.1', family: 4 }]): Promise<Network> => {
    const network = await publicNetwork()
    return { permits: network.permits, resolve: (host) => (/^[\d.]+$|:/.test(host) ? network.resolve(host) : resolve(host)) }
  }

  it.each([
    ['127.0.0.1', 'in the usual form'],
    ['2130706433', 'as a number'],
    ['017700000001', 'as an octal number'],
    ['0x7f000001', 'as a hexadecimal number'],
    ['0177.0.0.1', 'with an octal part'],
    ['0x7f.1', 'shortened and hexadecimal'],
    ['127.1', 'shortened'],
    ['127.0.0.1.', 'with a dot at the end'],
    ['①②⑦.⓪.⓪.①', 'in other digits'],
    ['%31%32%37.0.0.1', 'percent-encoded'],
    ['0', 'as zero'],
    ['[::1]', 'of IPv6'],
    ['[::]', 'unspecified'],
    ['[::ffff:127.0.0.1]', 'mapped'],
    ['[0:0:0:0:0:ffff:7f00:1]', 'mapped and written out'],
    ['[64:ff9b::127.0.0.1]', 'behind NAT64'],
    ['[fe80::1]', 'link-local'],
    ['169.254.169.254', 'of a metadata service'],
    ['localhost', 'as a name'],
    ['public.example', 'behind a public name'],
  ])('is refused before anything is sent: %s, %s', async (host) => {
    const server = await site((_request, response) => response.end('secret'))
    expect(await refusal(`http://${host}:${server.port}/`, { network: await real() })).toContain('not on the public internet')
    expect(server.requests).toEqual([])
  })

  it('is refused when only one of a name’s addresses is such', async () => {
    const mixed = async () => [
      { address: '140.82.112.3', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]
    expect(await refusal('http://mixed.example/', { network: await real(mixed) })).toContain('mixed.example is 10.0.0.1')
  })

  it('is refused as the target of a redirect', async () => {
    const inside = await site((_request, response) => response.end('secret'), '127.0.0.2')
    const targets = [inside.url, `http://0x7f.0.0.2:${inside.port}/`, `http://[::ffff:127.0.0.2]:${inside.port}/`, `//127.0.0.2:${inside.port}/`]
    const server = await site((request, response) => response.writeHead(302, { location: targets[Number(request.url?.slice(1))] ?? '' }).end())
    const network = { ...loopback, resolve: async (host: string) => [{ address: host, family: host.includes(':') ? 6 : 4 }] }
    for (const at of targets.keys()) expect(await refusal(`${server.url}/${at}`, { network })).toContain('not on the public internet')
    expect(inside.requests).toEqual([])
  })

  it('is not reached when the name leads elsewhere after the check', async () => {
    const inside = await site((_request, response) => response.end('secret'), '127.0.0.2')
    const outside = await site((_request, response) => response.end('public'))
    const answers = ['127.0.0.1', '127.0.0.2']
    let asked = 0
    const network: Network = {
      permits: (address) => address === '127.0.0.1',
      resolve: async () => [{ address: answers[Math.min(asked++, 1)] ?? '', family: 4 }],
    }
    expect((await get(`http://rebinding.example:${outside.port}/`, { network })).bytes.toString()).toBe('public')
    expect(await refusal(`http://rebinding.example:${inside.port}/`, { network })).toContain('rebinding.example is 127.0.0.2')
    expect(inside.requests).toEqual([])
  })

  it('is refused on the connection itself, before a request is sent', async () => {
    const server = await site((_request, response) => response.end('secret'))
    let checks = 0
    const network: Network = { ...loopback, permits: () => checks++ === 0 }
    expect(await refusal(`http://site.example:${server.port}/`, { network })).toContain('site.example is 127.0.0.1')
    expect(server.requests).toEqual([])
  })
})

describe('an address that is none', () => {
  it.each([
    ['nonsense', 'is not a URL'],
    ['file:///etc/passwd', 'is not an http or https address'],
    ['ftp://x.example/', 'is not an http or https address'],
    ['data:text/plain,x', 'is not an http or https address'],
    ['https://me:secret@x.example/', 'holds a user name or password'],
  ])('is refused: %s', async (url, message) => {
    expect(await refusal(url)).toContain(message)
  })

  it('is refused as a redirect too', async () => {
    const server = await site((request, response) => response.writeHead(301, { location: decodeURIComponent(request.url?.slice(1) ?? '') }).end())
    expect(await refusal(`${server.url}/${encodeURIComponent('file:///etc/passwd')}`)).toMatch(/redirects to file:.*not an http or https address/)
    expect(await refusal(`${server.url}/${encodeURIComponent('http://')}`)).toMatch(/redirects to .* is not a URL/)
  })

  it('says when a name is not known or nobody answers', async () => {
    const nobody: Network = { ...loopback, resolve: () => Promise.reject(new Error('ENOTFOUND')) }
    expect(await refusal('http://gone.example/', { network: nobody })).toContain('gone.example could not be found: ENOTFOUND')
    expect(await refusal('http://empty.example/', { network: { ...loopback, resolve: async () => [] } })).toContain('empty.example has no address')
    const server = await site((request) => request.socket.destroy())
    expect(await refusal(server.url)).toContain('could not be reached')
  })
})

describe('redirects', () => {
  it('are followed up to five, relative ones too, and end at the last address', async () => {
    const server = await site((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left > 0) response.writeHead(307, { location: `./${left - 1}` }).end('moved')
      else response.end('here')
    })
    const page = await get(`${server.url}/5`)
    expect(page.bytes.toString()).toBe('here')
    expect(page.url.pathname).toBe('/0')
    expect(await refusal(`${server.url}/6`)).toContain('redirects more than 5 times')
  })

  it('are asked about before they are followed', async () => {
    const server = await site((request, response) => (request.url === '/' ? response.writeHead(302, { location: '/denied' }).end() : response.end('x')))
    const visit = (url: URL) => {
      throw new Failure(`not ${url.pathname}`, 'no')
    }
    expect(await refusal(`${server.url}/`, { visit })).toBe('not /denied')
    expect(server.requests).toHaveLength(1)
  })
})

describe('a body', () => {
  it.each([
    ['br', brotliCompressSync],
    ['gzip', gzipSync],
  ])('is unpacked: %s', async (encoding, pack) => {
    const server = await site((_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(pack('hello')))
    expect((await get(server.url)).bytes.toString()).toBe('hello')
  })

  it('is refused when its header, its bytes or its unpacked bytes are too many', async () => {
    const server = await site((request, response) => {
      if (request.url === '/header') response.writeHead(200, { 'content-length': '1001' }).flushHeaders()
      else if (request.url === '/stream') response.write('x'.repeat(1_001))
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(100_000)))
    })
    for (const path of ['/header', '/stream', '/bomb']) expect(await refusal(server.url + path)).toContain('has more than 1000 bytes')
  })

  it('that breaks off is said to', async () => {
    const server = await site((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      response.write('', () => response.destroy())
    })
    expect(await refusal(server.url)).toContain('broke off')
  })

  it('counts in the time limit, as do the headers and the name server', async () => {
    const server = await site((request, response) => {
      if (request.url === '/body') response.write('half')
    })
    expect(await refusal(`${server.url}/body`, { timeout: 60 })).toContain('was not received within 0.06 s')
    expect(await refusal(`${server.url}/headers`, { timeout: 60 })).toContain('was not received within 0.06 s')
    const silent: Network = { ...loopback, resolve: () => new Promise(() => undefined) }
    expect(await refusal('http://silent.example/', { timeout: 60, network: silent })).toContain('was not received within 0.06 s')
  })

  it('is given up with the run', async () => {
    const stop = new AbortController()
    const server = await site(() => stop.abort(new Error('the run was cancelled')))
    await expect(get(server.url, { signal: stop.signal })).rejects.toThrow('the run was cancelled')
  })
})
