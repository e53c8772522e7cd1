import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WithParts } from '../../src/session/message.ts'
import { RevertError, SessionBusyError } from '../../src/session/refusals.ts'
import { calls, type SseModel, sseModel, text, whenAsked } from '../support/sse-model.ts'
import { partTypes, result, setup, textOf, tool } from './harness.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const said = (messages: readonly WithParts[]) => messages.map(textOf)
const partOf = (message: WithParts | undefined, type: string) => message?.parts.find((part) => part.type === type)?.id ?? ''

/** A session of two turns: "one" answered with "first", "two" with "second". */
async function twoTurns() {
  server.queue(text('first'), text('second'))
  const made = setup(server)
  const first = await made.ask('one')
  const second = await made.ask('two')
  return { ...made, first, second, messages: made.store.messages() }
}

describe('a revert', () => {
  test('to a message removes it and all that follows at the next prompt, not before', async () => {
    const { engine, store, ask, messages } = await twoTurns()
    engine.revert({ messageID: messages[2]?.info.id ?? '' })
    expect(said(store.messages())).toEqual(['one', 'first', 'two', 'second'])
    server.queue(text('third'))
    await ask('three')
    expect(said(store.messages())).toEqual(['one', 'first', 'three', 'third'])
    expect(server.requests[2]?.body.messages.map(({ content }) => content).slice(1)).toEqual(['one', 'first', 'three'])
    expect(store.session.revert).toBeUndefined()
  })

  test('says which messages are gone for good', async () => {
    const { engine, store, ask, messages } = await twoTurns()
    engine.revert({ messageID: messages[2]?.info.id ?? '' })
    expect(store.removed()).toEqual([])
    server.queue(text('third'))
    await ask('three')
    expect(store.removed()).toEqual(messages.slice(2).map(({ info }) => info.id))
  })

  test('to an answer takes its question too', async () => {
    const { engine, store, second, ask } = await twoTurns()
    engine.revert({ messageID: second.info.id })
    server.queue(text('third'))
    await ask('three')
    expect(said(store.messages())).toEqual(['one', 'first', 'three', 'third'])
  })

  test('to a part keeps what comes before it in its message', async () => {
    server.queue(calls([{ name: 'read', arguments: { path: 'a' } }]), text('read it'), text('again'))
    const { engine, store, ask } = setup(server)
    const answer = await ask('one')
    const [, called] = store.messages()
    engine.revert({ messageID: called?.info.id ?? '', partID: partOf(called, 'step-finish') })
    await ask('two')
    expect(partTypes(store.messages()[1]?.parts ?? [])).toEqual(['step-start', 'tool'])
    expect(store.removed()).toEqual([answer.info.id])
    expect(said(store.messages())).toEqual(['one', '', 'two', 'again'])
    expect(server.refusals).toEqual([])
  })

  test('to the first part worth keeping of an answer is one to its question', async () => {
    const { engine, store, second, ask } = await twoTurns()
    engine.revert({ messageID: second.info.id, partID: partOf(second, 'text') })
    server.queue(text('third'))
    await ask('three')
    expect(said(store.messages())).toEqual(['one', 'first', 'three', 'third'])
  })

  test('may be taken back until something is removed', async () => {
    const { engine, store, ask, messages } = await twoTurns()
    engine.revert({ messageID: messages[0]?.info.id ?? '' })
    engine.unrevert()
    server.queue(text('third'))
    await ask('three')
    expect(said(store.messages())).toEqual(['one', 'first', 'two', 'second', 'three', 'third'])
    expect(store.removed()).toEqual([])
  })

  test('is done with before a loop and before a shell command, too', async () => {
    const { engine, store, messages } = await twoTurns()
    engine.revert({ messageID: messages[2]?.info.id ?? '' })
    await engine.loop()
    expect(said(store.messages())).toEqual(['one', 'first'])

    const other = setup(server, { tools: [tool('bash', () => result('ok'))], history: messages })
    other.engine.revert({ messageID: messages[2]?.info.id ?? '' })
    await other.engine.shell({ command: 'ls' })
    expect(other.store.messages().map(({ info }) => info.role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(other.store.removed()).toHaveLength(2)
  })

  test('goes back across a compaction: the summary is gone and the whole history is sent again', async () => {
    const { messages } = await twoTurns()
    const [question, answer] = [messages[2], messages[3]]
    if (question?.info.role !== 'user' || answer?.info.role !== 'assistant') throw new Error('not two turns')
    const compaction = { ...question.info, id: 'msg_compaction' }
    const summary = { ...answer.info, id: 'msg_summary', parentID: 'msg_compaction', summary: true }
    const history: WithParts[] = [
      ...messages,
      { info: compaction, parts: [{ id: 'prt_c', messageID: 'msg_compaction', type: 'compaction', auto: true }] },
      { info: summary, parts: [{ id: 'prt_s', messageID: 'msg_summary', type: 'text', text: 'summed up' }] },
    ]
    const { engine, store, ask } = setup(server, { history })
    engine.revert({ messageID: 'msg_compaction' })
    server.queue(text('third'))
    await ask('three')
    expect(said(store.messages())).toEqual(['one', 'first', 'two', 'second', 'three', 'third'])
    expect(
      server.requests
        .at(-1)
        ?.body.messages.map(({ content }) => content)
        .slice(1),
    ).toEqual(['one', 'first', 'two', 'second', 'three'])
  })

  test('that the session record brings along from an earlier run is done with at the next prompt', async () => {
    const { store, messages } = await twoTurns()
    const later = setup(server, { history: messages })
    later.store.update({ ...store.session, revert: { messageID: messages[2]?.info.id ?? '' } })
    server.queue(text('third'))
    await later.ask('three')
    expect(said(later.store.messages())).toEqual(['one', 'first', 'three', 'third'])
  })

  test('to what is not in the session is refused', async () => {
    const { engine, second } = await twoTurns()
    expect(() => engine.revert({ messageID: 'msg_nowhere' })).toThrow(RevertError)
    expect(() => engine.revert({ messageID: second.info.id, partID: 'prt_nowhere' })).toThrow(RevertError)
  })

  test('is refused while the loop runs and while a message is being made; allowed when idle', async () => {
    const { engine, store, ask } = setup(server)
    const attempts: unknown[] = []
    const attempt = () => {
      try {
        engine.unrevert()
        attempts.push('allowed')
      } catch (error) {
        attempts.push(error)
      }
    }
    server.queue(whenAsked(attempt, text('first')))
    const answer = ask('one')
    attempt()
    await answer
    attempt()
    expect(attempts).toEqual([expect.any(SessionBusyError), expect.any(SessionBusyError), 'allowed'])
    expect(store.messages()).toHaveLength(2)
  })
})
