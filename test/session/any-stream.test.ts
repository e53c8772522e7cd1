import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openModel } from '../../src/model/open.ts'
import { WithParts } from '../../src/session/message.ts'
import { choiceAt } from '../support/ask.ts'
import { callDelta, DONE, delta, event, raw, type SseModel, sseModel, text, usage } from '../support/sse-model.ts'
import { result, setup, tool, toolsOf } from './harness.ts'

let server: SseModel
beforeAll(async () => {
  server = await sseModel()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

const id = fc.constantFrom('call_0', 'call_1', '', '__proto__', 'a.b:0')
const name = fc.constantFrom('read', 'Read', 'write', 'broken', 'nothing', '$x', '')
const args = fc.constantFrom('{"path":"a"}', '{"path":"b"}', '{"path":"c"}', '{"pa', 'th":"c"}', '', 'null', '[1]', '{"__proto__":{}}')
const usages = fc.constantFrom({}, usage(), usage(0, 0), usage(10, 1, { completion_tokens_details: { reasoning_tokens: 7 } }), { usage: null })
const piece = fc.oneof(
  fc.record({ content: fc.constantFrom('', 'Hello', '<think>x</think>', '\ud83c', '\0') }).map((content) => delta(content)),
  fc.record({ reasoning_content: fc.constantFrom('', 'hm') }).map((content) => delta(content)),
  fc.array(fc.record({ id, name, arguments: args }), { minLength: 1, maxLength: 3 }).map((list) => delta(callDelta(list))),
  fc.record({ index: fc.nat(3), arguments: args }).map(({ index, arguments: more }) => delta({ tool_calls: [{ index, function: { arguments: more } }] })),
  fc
    .record({ reason: fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter', 'eos', 'error'), usage: usages })
    .map(({ reason, usage }) => delta({}, reason, usage)),
  fc.constant({ error: { code: 500, message: 'oops' } }),
)
/** A step that goes well, so that runs get somewhere between the broken ones. */
const good = fc
  .array(fc.record({ id, name: fc.constantFrom('read', 'write', 'broken'), arguments: fc.constantFrom('{"path":"a"}', '{"path":"d"}') }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((list) => [delta(callDelta(list)), delta({}, 'tool_calls', usage())])
/** Any pieces, in any order, some of them twice. */
const bad = fc
  .array(piece, { maxLength: 8 })
  .chain((pieces) => fc.array(fc.nat(Math.max(0, pieces.length - 1)), { maxLength: 3 }).map((twice) => [...pieces, ...twice.flatMap((at) => pieces[at] ?? [])]))
const stream = fc.oneof(
  good.map((pieces) => ({ pieces, done: true, keep: 1 })),
  fc.record({ pieces: bad, done: fc.boolean(), keep: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })) }),
)

test.each(['the provider package alone', 'our own fetch around it'])(
  'any streams over any number of steps, through %s, end with a valid history in which every call has exactly one result',
  async (way) => {
    const model = way.startsWith('our') ? await openModel(choiceAt(server.url.replace(/\/v1$/, ''), 'openai-compatible')) : server.model()
    let steps = 0
    await fc.assert(
      fc.asyncProperty(fc.array(stream, { minLength: 1, maxLength: 8 }), async (streams) => {
        const before = server.requests.length
        const refused = server.refusals.length
        const script = streams.map(({ pieces, done, keep }) => {
          const whole = pieces.map(event).join('') + (done ? DONE : '')
          return raw(whole.slice(0, Math.ceil(whole.length * keep)))
        })
        server.otherwise((response, request) => (script[server.requests.length - before - 1] ?? text('The end'))(response, request))
        const broken = tool('broken', () => Promise.reject(new Error('It is broken.')))
        const { ask, engine, store, events } = setup(server, { model, tools: [tool('read'), tool('write', () => result('')), broken], maxSteps: 10 })
        await ask()
        expect(events.at(-1)).toEqual({ type: 'status', status: { type: 'idle' } })
        for (const message of store.messages()) expect(WithParts.safeParse(message).error).toBeUndefined()
        for (const part of toolsOf(store.messages())) expect(['completed', 'error']).toContain(part.state.status)
        const ids = store.messages().flatMap(({ info, parts }) => [info.id, ...parts.map((part) => part.id)])
        expect(new Set(ids).size).toBe(ids.length)
        steps = Math.max(steps, store.messages().length)

        // The strict server checks that each call has exactly one result, in order, and that the request may be sent as it is.
        server.otherwise(text('The end'))
        await engine.prompt({ parts: [{ type: 'text', text: 'go on' }] })
        expect(server.refusals.slice(refused)).toEqual([])
        const sent = server.requests.at(-1)?.body.messages ?? []
        const made = sent.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.id))
        expect(sent.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))).toEqual(made)
        expect(made).toHaveLength(toolsOf(store.messages()).filter((part) => sentOf(part.messageID, store.messages())).length)
      }),
      { numRuns: 80 },
    )
    // Otherwise the runs were all cut short and nothing was tested over several steps.
    expect(steps).toBeGreaterThan(4)
  },
)

/** Whether an answer is part of what is sent: failed ones are left out. */
function sentOf(messageID: string, messages: readonly WithParts[]): boolean {
  const info = messages.find((message) => message.info.id === messageID)?.info
  return info?.role === 'assistant' && info.error === undefined
}
