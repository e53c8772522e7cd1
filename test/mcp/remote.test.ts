import { spawn } from 'node:child_process'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { afterwards, never } from '../support/closing.ts'
import { everything, open } from './kit.ts'

test('a server is spoken to over streamable HTTP', async () => {
  const { room, call } = await open({ web: { type: 'remote', url: `http://127.0.0.1:${await serve('streamableHttp')}/mcp` } })
  expect(room.servers).toEqual([{ name: 'web', status: 'connected' }])
  expect(await call('web_echo', { message: 'over HTTP' })).toMatchObject({ output: 'Echo: over HTTP' })
  expect((await room.readResource('web', 'demo://resource/dynamic/text/1', never))[0]?.text).toContain('Resource 1')
  await room.close()
  await expect(call('web_echo', { message: 'late' })).rejects.toThrow()
})

test('a server that only knows the older SSE is spoken to over that', async () => {
  const { room, call } = await open({ old: { type: 'remote', url: `http://127.0.0.1:${await serve('sse')}/sse` } })
  expect(room.servers).toEqual([{ name: 'old', status: 'connected' }])
  expect(await call('old_get-sum', { a: 1, b: 1 })).toMatchObject({ output: 'The sum of 1 and 1 is 2.' })
})

test.each([401, 403])('HTTP %i is answered with a note on how to get in without a browser; headers are sent', async (status) => {
  const seen: IncomingHttpHeaders[] = []
  const port = await listen((request, response) => {
    seen.push(request.headers)
    response.writeHead(status).end()
  })
  const { room, warnings } = await open({ web: { type: 'remote', url: `http://127.0.0.1:${port}/mcp`, headers: { 'X-Key': 'k1' } } })
  expect(room.servers[0]?.status).toBe('failed')
  expect(warnings[0]).toMatch(new RegExp(`127\\.0\\.0\\.1:${port} refused the connection \\(HTTP ${status}\\).*OAuth.*\`headers\``))
  expect(seen.map((headers) => headers['x-key'])).toContain('k1')
})

test('a server that never answers, and one that is not there, fail in time', async () => {
  const port = await listen(() => undefined)
  const { room } = await open({
    silent: { type: 'remote', url: `http://127.0.0.1:${port}/mcp`, timeout: 200 },
    absent: { type: 'remote', url: 'http://127.0.0.1:1/mcp' },
  })
  expect(room.servers).toEqual([
    { name: 'absent', status: 'failed', note: expect.stringContaining('did not answer as an MCP server should') },
    { name: 'silent', status: 'failed', note: expect.stringContaining('did not answer within 200 ms') },
  ])
})

test('the time that the configuration gives all servers counts for those that name none', async () => {
  const port = await listen(() => undefined)
  const { warnings } = await open({ silent: { type: 'remote', url: `http://127.0.0.1:${port}/mcp` } }, { timeout: 150 })
  expect(warnings[0]).toContain('within 150 ms')
})

async function listen(handler: RequestListener): Promise<number> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterwards(() => {
    server.closeAllConnections()
    server.close()
  })
  return portOf(server.address())
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}

/** Starts server-everything on a free port and waits until it says that it listens. */
async function serve(transport: 'streamableHttp' | 'sse'): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const port = portOf(probe.address())
  await new Promise((resolve) => probe.close(resolve))
  const [program = '', ...args] = everything
  const child = spawn(program, [...args, transport], { env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'ignore', 'pipe'] })
  afterwards(() => void child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('on port')) return port
  throw new Error(`server-everything did not listen on port ${port}`)
}
