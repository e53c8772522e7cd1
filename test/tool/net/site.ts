import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach } from 'vitest'
import type { Network } from '../../../src/tool/net/address.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

export interface Site {
  readonly url: string
  readonly port: number
  readonly requests: IncomingMessage[]
}

/** A web server on loopback that ends with the test. */
export async function site(answer: (request: IncomingMessage, response: ServerResponse) => void, host = '127.0.0.1'): Promise<Site> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  return { url: `http://${host}:${port}`, port, requests }
}

/** A network in which every name is loopback, and loopback may be reached. */
export const loopback: Network = {
  resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  permits: (address) => address === '127.0.0.1',
}
