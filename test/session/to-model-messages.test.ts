import { describe, expect, test } from 'vitest'
import type { Model } from '../../src/model/model.ts'
import { type Assistant, type MessageError, noTokens, type Part, type ToolState, type WithParts } from '../../src/session/message.ts'
import { toModelMessages } from '../../src/session/to-model-messages.ts'

type Target = Pick<Model, 'info' | 'protocol'>
const model = { providerID: 'test', modelID: 'm' }
const target = (protocol: Model['protocol'] = 'openai-compatible', inputs: Model['info']['inputs'] = ['text', 'image'], modelID = 'm'): Target => ({
  protocol,
  info: { ...model, modelID, name: 'M', reasoning: true, temperature: true, inputs, limit: { context: 1, output: 1 } },
})

/** Parts without the fields that don't matter here. */
type Loose<T> = T extends Part ? Omit<T, 'id' | 'messageID'> : never
const parts = (list: Loose<Part>[]): Part[] => list.map((part, index) => ({ ...part, id: `prt_${index}`, messageID: 'msg' }))
const user = (...list: Loose<Part>[]): WithParts => ({ info: { role: 'user', id: 'msg', time: { created: 1 }, agent: 'build', model }, parts: parts(list) })
const assistant = (list: Loose<Part>[], rest: Partial<Assistant> = {}): WithParts => ({
  info: { role: 'assistant', id: 'msg', parentID: 'u', time: { created: 1 }, agent: 'build', model, tokens: noTokens, cost: 0, ...rest },
  parts: parts(list),
})
const call = (state: ToolState, callID = 'c1', metadata?: Record<string, unknown>): Loose<Part> => ({
  type: 'tool',
  callID,
  tool: 'read',
  state,
  ...(metadata ? { metadata } : {}),
})
const time = { start: 1, end: 2 }
const done = (output: string, rest: object = {}): ToolState => ({ status: 'completed', input: { path: 'a' }, output, title: 't', metadata: {}, time, ...rest })
const png = { type: 'file' as const, mime: 'image/png', url: 'data:image/png;base64,AAAA', filename: 'a.png' }
const outputs = (history: WithParts[], to = target()) =>
  toModelMessages(history, to).flatMap((message) =>
    message.role === 'tool' ? message.content.map((part) => (part.type === 'tool-result' ? part.output : part)) : [],
  )

describe('user messages', () => {
  test('without parts, or with ignored ones only, are not sent', () => {
    expect(toModelMessages([user(), user({ type: 'text', text: 'x', ignored: true }), user({ type: 'text', text: '' })], target())).toEqual([])
  })

  test('synthetic text is sent; text alone is a plain string', () => {
    expect(toModelMessages([user({ type: 'text', text: 'a' }, { type: 'text', text: 'b', synthetic: true })], target())).toEqual([
      { role: 'user', content: 'a\n\nb' },
    ])
  })

  test('images are sent, text files and folders are not (their text is a part of its own)', () => {
    const [message] = toModelMessages(
      [
        user(
          { type: 'text', text: 'a' },
          png,
          { type: 'file', mime: 'text/plain', url: 'file:///x' },
          { type: 'file', mime: 'application/x-directory', url: 'file:///d' },
        ),
      ],
      target(),
    )
    expect(message?.content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'file', data: 'AAAA', mediaType: 'image/png', filename: 'a.png' },
    ])
  })

  test('a file of a kind the model can’t read is named instead', () => {
    expect(toModelMessages([user(png)], target('openai-compatible', ['text']))[0]?.content).toMatch(/image\/png: a\.png/)
  })

  test('compaction and subtask parts become sentences', () => {
    const [message] = toModelMessages([user({ type: 'compaction', auto: true }, { type: 'subtask', agent: 'a', description: 'd', prompt: 'p' })], target())
    expect(String(message?.content).split('\n\n')).toHaveLength(2)
  })
})

describe('tool calls', () => {
  test.each<[string, ToolState, object]>([
    ['a finished one has its output', done('out'), { type: 'text', value: 'out' }],
    ['C31: an empty output has a placeholder', done(''), { type: 'text', value: '(no output)' }],
    ['a cleared output has a placeholder', done('long', { time: { ...time, compacted: 3 } }), { type: 'text', value: expect.stringContaining('cleared') }],
    ['a failed one has its error', { status: 'error', input: {}, error: 'broke', time }, { type: 'error-text', value: 'broke' }],
    [
      'C30: a running one was interrupted',
      { status: 'running', input: {}, time: { start: 1 } },
      { type: 'error-text', value: expect.stringContaining('interrupted') },
    ],
    ['C30: a pending one was interrupted', { status: 'pending', input: {}, raw: '' }, { type: 'error-text', value: expect.stringContaining('interrupted') }],
    [
      'an interrupted one with partial output has that',
      { status: 'error', input: {}, error: 'stopped', metadata: { interrupted: true, output: 'half' }, time },
      { type: 'text', value: 'half' },
    ],
  ])('%s', (_, state, expected) => {
    const messages = toModelMessages([assistant([{ type: 'step-start' }, call(state)])], target())
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool'])
    expect(outputs([assistant([call(state)])])).toEqual([expected])
  })

  test('attachments travel inside the result where the protocol allows it', () => {
    const history = [assistant([call(done('seen', { attachments: [png] }))])]
    expect(outputs(history, target('anthropic'))).toEqual([
      {
        type: 'content',
        value: [
          { type: 'text', text: 'seen' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
        ],
      },
    ])
    expect(toModelMessages(history, target('openai-responses')).map(({ role }) => role)).toEqual(['assistant', 'tool'])
  })

  test('and follow in a user message where it doesn’t', () => {
    const messages = toModelMessages([assistant([call(done('seen', { attachments: [png] }))])], target('openai-chat'))
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user'])
    expect(messages[2]?.content).toContainEqual({ type: 'file', data: 'AAAA', mediaType: 'image/png', filename: 'a.png' })
  })

  test('attachments of a cleared output are cleared too', () => {
    const history = [assistant([call(done('seen', { attachments: [png], time: { ...time, compacted: 3 } }))])]
    expect(toModelMessages(history, target('openai-chat')).map(({ role }) => role)).toEqual(['assistant', 'tool'])
  })

  test('C33: ids used twice are made unique on both sides, the same way every time', () => {
    const history = [assistant([call(done('1'), 'x'), call(done('2'), 'x')]), assistant([call(done('3'), 'x')])]
    const ids = (messages = toModelMessages(history, target())) =>
      messages.map(({ content }) => (typeof content === 'string' ? [] : content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []))))
    expect(ids()).toEqual([['x', 'x_2'], ['x', 'x_2'], ['x_3'], ['x_3']])
  })

  test('ids are put into the alphabet Anthropic demands', () => {
    expect(JSON.stringify(toModelMessages([assistant([call(done('1'), 'functions.read:0')])], target('anthropic')))).toContain('"functions_read_0"')
  })

  test('a tool the provider ran has its result inside the answer', () => {
    const [message, ...rest] = toModelMessages([assistant([call(done('found'), 'c', { providerExecuted: true })])], target())
    expect(rest).toEqual([])
    expect(message?.content).toMatchObject([
      { type: 'tool-call', providerExecuted: true },
      { type: 'tool-result', output: { value: 'found' } },
    ])
  })
})

describe('answers', () => {
  const signed = { type: 'reasoning' as const, text: 'think', time, metadata: { anthropic: { signature: 's' } } }
  const words = { type: 'text' as const, text: 'Answer' }

  test('reasoning and its signature travel to the model that made it', () => {
    expect(toModelMessages([assistant([signed, words])], target('anthropic'))[0]?.content).toEqual([
      { type: 'reasoning', text: 'think', providerOptions: { anthropic: { signature: 's' } } },
      { type: 'text', text: 'Answer' },
    ])
  })

  test('another model gets it as text, without the other’s data', () => {
    const history = [assistant([signed, { ...signed, text: '' }, words, call(done('x'), 'c', { provider: { openai: { itemId: 'i' } } })])]
    const text = JSON.stringify(toModelMessages(history, target('openai-compatible', ['text'], 'other')))
    expect(text).toContain('{"type":"text","text":"think"}')
    expect(text).not.toContain('signature')
    expect(text).not.toContain('itemId')
  })

  test('a signature of a call travels with it', () => {
    const [message] = toModelMessages([assistant([call(done('x'), 'c', { provider: { google: { thoughtSignature: 's' } } })])], target('google'))
    expect(message?.content).toMatchObject([{ type: 'tool-call', providerOptions: { google: { thoughtSignature: 's' } } }])
  })

  test('C37: step starts, blanks and reasoning alone are not sent', () => {
    expect(
      toModelMessages([assistant([]), assistant([{ type: 'step-start' }]), assistant([signed]), assistant([{ type: 'text', text: ' \n' }])], target()),
    ).toEqual([])
  })

  test('each step start begins a message of its own', () => {
    const messages = toModelMessages([assistant([{ type: 'step-start' }, call(done('1'), 'a'), { type: 'step-start' }, words])], target())
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
  })

  test.each<[string, Loose<Part>[], MessageError['name'], number]>([
    ['a failed answer is not sent', [words], 'APIError', 0],
    ['an interrupted one is, with what it had', [words], 'MessageAbortedError', 1],
    ['an interrupted one with nothing but reasoning is not', [{ type: 'step-start' }, signed], 'MessageAbortedError', 0],
  ])('%s', (_, list, name, count) => {
    expect(toModelMessages([assistant(list, { error: { name, message: 'x' } })], target())).toHaveLength(count)
  })

  test('C38: texts, results and arguments are cleaned', () => {
    const dirty = 'a\0\u001b[1mb\ud800'
    const history = [user({ type: 'text', text: dirty }), assistant([{ type: 'text', text: dirty }, call({ ...done(dirty), input: { deep: [dirty] } })])]
    const text = JSON.stringify(toModelMessages(history, target()))
    expect(text.match(/ab\ufffd/g)).toHaveLength(4)
    expect(text).not.toMatch(/\\u0000|\\u001b|\\ud800/)
  })
})
