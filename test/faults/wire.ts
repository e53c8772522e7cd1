import { once } from 'node:events'
import { createServer, request as send } from 'node:http'

/** The way to the model, which can break. */

/** `broken`: its server answers 500. `cut`: the connection is reset in the middle of an answer. */
export type Weather = 'fine' | 'broken' | 'cut'

export interface Wire {
  readonly baseUrl: string
  /** Says how the nth request through the wire, from 1, will fare; without it all is fine. */
  weather: (nth: number) => Weather
  /** Number of requests so far. */
  readonly count: number
  close(): void
}

/** Opens a wire on loopback to a model's base URL. */
export async function openWire(target: string): Promise<Wire> {
  const { origin, pathname } = new URL(target)
  let count = 0
  const server = createServer((incoming, response) => {
    count += 1
    const weather = wire.weather(count)
    if (weather === 'broken') {
      incoming.resume()
      response.writeHead(500, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ error: { message: 'The server had an error.' } }))
    }
    const { 'transfer-encoding': _, ...headers } = incoming.headers
    const onward = send(new URL(incoming.url ?? '/', origin), { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      if (weather === 'fine') return void answer.pipe(response)
      answer.once('data', (piece: Buffer) => response.write(piece.subarray(0, piece.length / 2), () => response.destroy()))
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const wire: Wire = {
    baseUrl: `http://127.0.0.1:${port}${pathname}`,
    weather: () => 'fine',
    get count() {
      return count
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return wire
}
