import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hooks } from '../../src/session/hooks.ts'
import type { WithParts } from '../../src/session/message.ts'
import { calls, delta, hang, type SseModel, sseModel, text } from '../support/sse-model.ts'
import { assistantsOf, errorOf, setup, textOf, tool, toolsOf } from './harness.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

/** An engine whose model has begun to answer and then says nothing more. */
async function begun() {
  server.queue(hang(delta({ content: 'I was about' })))
  const showing = Promise.withResolvers<void>()
  const made = setup(server, {
    sink: (event) => {
      if (event.type === 'part' && event.part.type === 'text' && event.part.text.includes('about')) showing.resolve()
    },
  })
  const answer = made.ask()
  await showing.promise
  return { ...made, answer }
}

/** A plugin that looks at the first request through `look`. */
const atRequest = (look: () => Promise<void>): Hooks => {
  let first = true
  return {
    async trigger(name, _input, output) {
      if (name === 'experimental.chat.messages.transform' && first) {
        first = false
        await look()
      }
      return output
    },
  }
}

describe('cancel', () => {
  test('gives the caller the answer so far, marked as aborted and completed', async () => {
    const { engine, answer } = await begun()
    await engine.cancel()
    const message = await answer
    expect(textOf(message)).toBe('I was about')
    expect(message.info).toMatchObject({ error: { name: 'MessageAbortedError' }, time: { completed: expect.any(Number) } })
  })

  test('gives all who wait the same message', async () => {
    const { engine, answer } = await begun()
    const others = [engine.loop(), engine.loop()]
    await engine.cancel()
    const ids = (await Promise.all([answer, ...others])).map(({ info }) => info.id)
    expect(new Set(ids).size).toBe(1)
  })

  test('marks the tool that was running', async () => {
    const started = Promise.withResolvers<void>()
    const slow = tool('read', async (_, { signal }) => {
      started.resolve()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('killed'))))
    })
    server.queue(calls([{ name: 'read', arguments: { path: 'a' } }]))
    const { engine, ask } = setup(server, { tools: [slow] })
    const answer = ask()
    await started.promise
    await engine.cancel()
    expect(toolsOf([await answer])[0]?.state).toMatchObject({ status: 'error', metadata: { interrupted: true } })
    expect(server.requests).toHaveLength(1)
  })

  test('does nothing when idle', async () => {
    server.queue(text('Hello'))
    const { engine, ask, events, store } = setup(server)
    await engine.cancel()
    const answer = await ask()
    await engine.cancel()
    expect(errorOf(answer)).toBeUndefined()
    expect(store.messages()).toHaveLength(2)
    expect(events.filter((event) => event.type === 'status' && event.status.type === 'idle')).toHaveLength(1)
  })

  test('leaves a session that can go on, with a valid history', async () => {
    const { engine, answer, ask } = await begun()
    await engine.cancel()
    await answer
    server.queue(text('to finish.'))
    expect(textOf(await ask('go on'))).toBe('to finish.')
    expect(server.requests[1]?.body.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(server.refusals).toEqual([])
  })

  test('before the model is asked leaves no answer that the next run would trip over', async () => {
    const { promise: looking, resolve: looked } = Promise.withResolvers<void>()
    const open = Promise.withResolvers<void>()
    const hooks = atRequest(async () => {
      looked()
      await open.promise
    })
    const { engine, ask, store } = setup(server, { hooks })
    const answer = ask()
    await looking
    const cancelled = engine.cancel()
    open.resolve()
    await cancelled
    expect(errorOf(await answer)).toMatchObject({ name: 'MessageAbortedError' })
    expect(assistantsOf(store.messages()).every(({ time }) => time.completed !== undefined)).toBe(true)
    expect(server.requests).toHaveLength(0)

    server.queue(text('Hello'))
    expect(textOf(await ask('again'))).toBe('Hello')
    expect(server.refusals).toEqual([])
  })

  test('a prompt meanwhile waits until the cancelled run has really ended, and is then answered', async () => {
    const looking = Promise.withResolvers<void>()
    const open = Promise.withResolvers<void>()
    const hooks = atRequest(async () => {
      looking.resolve()
      await open.promise
    })
    server.queue(text('New answer'))
    const { engine, ask, events } = setup(server, { hooks })
    const first = ask('old')
    await looking.promise
    const cancelled = engine.cancel()
    const second = ask('new')
    // Time enough for the second to be stored if it did not wait.
    await new Promise(setImmediate)
    open.resolve()
    await cancelled
    expect(errorOf(await first)).toMatchObject({ name: 'MessageAbortedError' })
    expect(textOf(await second)).toBe('New answer')
    const order = events.flatMap((event) => (event.type === 'message' ? [event.info.role === 'user' ? 'user' : event.info.error ? 'aborted' : 'answer'] : []))
    expect(order.slice(0, 4)).toEqual(['user', 'answer', 'aborted', 'user'])
    expect(server.refusals).toEqual([])
  })
})

describe('a run that fails of itself', () => {
  const failing = () => atRequest(() => Promise.reject(new Error('a plugin broke')))

  test('fails all who wait alike', async () => {
    const { engine, ask } = setup(server, { hooks: failing() })
    const outcomes = await Promise.allSettled([ask(), engine.loop()])
    expect(outcomes.map((each) => each.status === 'rejected' && String(each.reason))).toEqual(['Error: a plugin broke', 'Error: a plugin broke'])
  })

  test('leaves its answer closed with the reason, and the next run goes on', async () => {
    const { ask, store, events } = setup(server, { hooks: failing() })
    await expect(ask()).rejects.toThrow('a plugin broke')
    expect(store.messages().map((message: WithParts) => errorOf(message)?.message)).toEqual([undefined, 'a plugin broke'])
    expect(events.at(-1)).toEqual({ type: 'status', status: { type: 'idle' } })
    server.queue(text('Hello'))
    expect(textOf(await ask('again'))).toBe('Hello')
    expect(server.refusals).toEqual([])
  })
})
