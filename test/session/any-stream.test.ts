import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WithParts } from '../../src/session/message.ts'
import { callDelta, DONE, delta, event, raw, type SseModel, sseModel, text, usage } from '../support/sse-model.ts'
import { setup, tool, toolsOf } from './harness.ts'

let server: SseModel
beforeAll(async () => {
  server = await sseModel()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

const id = fc.constantFrom('call_0', 'call_1', '', '__proto__', 'a.b:0')
const name = fc.constantFrom('read', 'Read', 'nothing', '$x', '')
const args = fc.constantFrom('{"path":"a"}', '{"path":"b"}', '{"pa', 'th":"c"}', '', 'null', '[1]', '{"__proto__":{}}')
const piece = fc.oneof(
  fc.record({ content: fc.constantFrom('', 'Hello', '<think>x</think>', '\ud83c', '\0') }).map((content) => delta(content)),
  fc.record({ reasoning_content: fc.constantFrom('', 'hm') }).map((content) => delta(content)),
  fc.array(fc.record({ id, name, arguments: args }), { minLength: 1, maxLength: 3 }).map((list) => delta(callDelta(list))),
  fc.record({ index: fc.nat(3), arguments: args }).map(({ index, arguments: more }) => delta({ tool_calls: [{ index, function: { arguments: more } }] })),
  fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter', 'eos', 'error').map((reason) => delta({}, reason, usage())),
  fc.constant({ error: { code: 500, message: 'oops' } }),
)
const stream = fc.record({ pieces: fc.array(piece, { maxLength: 8 }), done: fc.boolean(), keep: fc.double({ min: 0, max: 1, noNaN: true }) })

test('any streams, in any order, cut anywhere, end with a valid history in which the next request is in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stream, { minLength: 1, maxLength: 4 }), async (streams) => {
      const before = server.requests.length
      const refused = server.refusals.length
      const script = streams.map(({ pieces, done, keep }) => {
        const whole = pieces.map(event).join('') + (done ? DONE : '')
        return raw(whole.slice(0, Math.ceil(whole.length * keep)))
      })
      server.otherwise((response, request) => (script[server.requests.length - before - 1] ?? text('The end'))(response, request))
      const { ask, engine, store } = setup(server, { tools: [tool('read')], maxSteps: 6 })
      await ask()
      for (const message of store.messages()) expect(WithParts.safeParse(message).success).toBe(true)
      for (const part of toolsOf(store.messages())) expect(['completed', 'error']).toContain(part.state.status)

      // The strict server checks that each call has exactly one result, in order, and that the request may be sent as it is.
      server.otherwise(text('The end'))
      await engine.prompt({ parts: [{ type: 'text', text: 'go on' }] })
      expect(server.refusals.slice(refused)).toEqual([])
    }),
    { numRuns: 60 },
  )
})
