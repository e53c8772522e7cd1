import { once } from 'node:events'
import { createServer } from 'node:http'

/** A model that answers at once: `calls` tool calls, one a step, then a text. Notes when requests arrive and answers leave. */
export interface InstantModel {
  readonly baseUrl: string
  readonly requests: readonly { readonly arrived: number; readonly bytes: number; answered: number }[]
  close(): Promise<void>
}

export async function instantModel(calls: readonly { readonly name: string; readonly arguments: object }[]): Promise<InstantModel> {
  const requests: { arrived: number; bytes: number; answered: number }[] = []
  const server = createServer(async (request, response) => {
    const arrived = performance.now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const call = calls[requests.length]
    const entry = { arrived, bytes: Buffer.concat(chunks).length, answered: 0 }
    requests.push(entry)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const delta = call
      ? {
          tool_calls: [{ index: 0, id: `call_${requests.length}`, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.arguments) } }],
        }
      : { content: 'Done.' }
    const chunk = (choice: object, rest: object = {}) =>
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, ...choice }], ...rest })}\n\n`,
      )
    chunk({ delta: { role: 'assistant', ...delta } })
    chunk({ delta: {}, finish_reason: call ? 'tool_calls' : 'stop' }, { usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } })
    entry.answered = performance.now()
    response.end('data: [DONE]\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the model has no port')
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
