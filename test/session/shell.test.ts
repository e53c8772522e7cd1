import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SessionBusyError } from '../../src/session/refusals.ts'
import { calls, type SseModel, sseModel, text, whenAsked } from '../support/sse-model.ts'
import { bench } from '../tool/kit.ts'
import { errorOf, result, setup, textOf, tool, toolsOf } from './harness.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

/** A `bash` that a test ends by hand. */
function slowBash() {
  const end = Promise.withResolvers<string>()
  const started = Promise.withResolvers<void>()
  const bash = tool('bash', async (_, { signal }) => {
    started.resolve()
    signal.addEventListener('abort', () => end.reject(new Error('killed')))
    return result(await end.promise)
  })
  return { tools: [bash], end: end.resolve, started: started.promise }
}

describe('a command a person runs', () => {
  test('is recorded as a call of bash that the model sees next time', async () => {
    const { tools, root } = bench()
    const { engine, store, ask } = setup(server, { tools })
    const message = await engine.shell({ command: 'printf out; printf err >&2; pwd' })
    expect(toolsOf([message])).toMatchObject([
      { tool: 'bash', state: { status: 'completed', input: { command: 'printf out; printf err >&2; pwd' }, output: `outerr${root}` } },
    ])
    expect(store.messages()[0]?.parts).toMatchObject([{ type: 'text', synthetic: true }])
    expect(server.requests).toHaveLength(0)

    server.queue(text('I see'))
    await ask('what did it print?')
    expect(server.requests[0]?.body.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
    expect(server.requests[0]?.body.messages[3]).toMatchObject({ content: `outerr${root}` })
  })

  test('runs without a terminal', async () => {
    const { engine } = setup(server, { tools: bench().tools })
    const message = await engine.shell({ command: 'echo $TERM; tty' })
    expect(toolsOf([message])[0]?.state).toMatchObject({ output: expect.stringMatching(/^dumb\nnot a tty/) })
  })

  test('that fails is completed all the same, with what it printed', async () => {
    const { engine } = setup(server, { tools: bench().tools })
    const message = await engine.shell({ command: 'echo before; exit 3' })
    expect(toolsOf([message])[0]?.state).toMatchObject({ status: 'completed', output: 'before\n(exit code 3)' })
    expect(errorOf(message)).toBeUndefined()
  })

  test('that cannot be started is completed with the reason', async () => {
    const broken = tool('bash', () => Promise.reject(new Error('there is no shell here')))
    const { engine } = setup(server, { tools: [broken] })
    expect(toolsOf([await engine.shell({ command: 'ls' })])[0]?.state).toMatchObject({ status: 'completed', output: 'there is no shell here' })
  })

  test('shows what it prints while it runs', async () => {
    const live = tool('bash', (_, { metadata }) => {
      metadata({ metadata: { output: 'half' } })
      return result('whole')
    })
    const { engine, events } = setup(server, { tools: [live] })
    await engine.shell({ command: 'make' })
    const states = events.flatMap((event) => (event.type === 'part' && event.part.type === 'tool' ? [event.part.state] : []))
    expect(states).toMatchObject([
      { status: 'running', input: { command: 'make' } },
      { status: 'running', metadata: { output: 'half' } },
      { status: 'completed', output: 'whole' },
    ])
  })

  test('is cut off by a cancel and says so', async () => {
    const { tools } = bench()
    const ready = Promise.withResolvers<void>()
    const watched = tools.map((each) => ({
      ...each,
      execute: (...args: Parameters<typeof each.execute>) => {
        ready.resolve()
        return each.execute(...args)
      },
    }))
    const { engine } = setup(server, { tools: watched })
    const running = engine.shell({ command: 'sleep 60' })
    await ready.promise
    await engine.cancel()
    const message = await running
    expect(toolsOf([message])[0]?.state).toMatchObject({ status: 'completed', output: expect.stringContaining('stopped') })
    expect(message.info).toMatchObject({ time: { completed: expect.any(Number) } })
  })

  test('that was cut off before its tool said anything keeps what it had shown', async () => {
    const started = Promise.withResolvers<void>()
    const deaf = tool('bash', async (_, { metadata, signal }) => {
      metadata({ metadata: { output: 'half' } })
      started.resolve()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('killed'))))
    })
    const { engine } = setup(server, { tools: [deaf] })
    const running = engine.shell({ command: 'make' })
    await started.promise
    await engine.cancel()
    expect(toolsOf([await running])[0]?.state).toMatchObject({ status: 'completed', output: expect.stringMatching(/^half\n\(stopped/) })
  })

  test('whose output is too long is shortened also when it was cut off', async () => {
    const { tools } = bench()
    const { engine } = setup(server, { tools })
    const message = await engine.shell({ command: 'seq 1 100000; kill -9 $$' })
    const { state } = toolsOf([message])[0] ?? {}
    expect(state).toMatchObject({ status: 'completed', metadata: { truncated: true } })
    expect(state?.status === 'completed' && state.output.length).toBeLessThan(60_000)
  })
})

describe('one thing at a time', () => {
  test('a second command is refused while one runs', async () => {
    const { tools, end, started } = slowBash()
    const { engine } = setup(server, { tools })
    const first = engine.shell({ command: 'a' })
    await started
    await expect(engine.shell({ command: 'b' })).rejects.toThrow(SessionBusyError)
    end('done')
    expect(toolsOf([await first])[0]?.state).toMatchObject({ output: 'done' })
  })

  test('a command is refused while the loop runs', async () => {
    const { engine, ask } = setup(server, { tools: [tool('bash')] })
    let refused: unknown
    server.queue(
      whenAsked(async () => {
        refused = await engine.shell({ command: 'ls' }).catch((error: unknown) => error)
      }, text('Hello')),
    )
    expect(textOf(await ask())).toBe('Hello')
    expect(refused).toBeInstanceOf(SessionBusyError)
  })

  test('a loop asked for during a command waits for it and sees it; several share it', async () => {
    server.queue(text('It printed: done'))
    const { tools, end, started } = slowBash()
    const { engine, events } = setup(server, { tools })
    const command = engine.shell({ command: 'a' })
    await started
    const loops = Promise.all([engine.loop(), engine.loop()])
    expect(server.requests).toHaveLength(0)
    end('done')
    await command
    const [first, second] = await loops
    expect(textOf(first)).toBe('It printed: done')
    expect(second).toBe(first)
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]?.body.messages.at(-1)).toMatchObject({ role: 'tool', content: 'done' })
    expect(events.at(-1)).toEqual({ type: 'status', status: { type: 'idle' } })
  })

  test('a prompt during a command is answered after it', async () => {
    server.queue(text('Yes'))
    const { tools, end, started } = slowBash()
    const { engine, ask } = setup(server, { tools })
    const command = engine.shell({ command: 'a' })
    await started
    const answer = ask('and now?')
    end('done')
    await command
    expect(textOf(await answer)).toBe('Yes')
    expect(server.refusals).toEqual([])
  })

  test('a cancel ends the command and the loop behind it', async () => {
    server.otherwise(calls([{ name: 'bash', arguments: {} }]))
    const { tools, started } = slowBash()
    const { engine } = setup(server, { tools })
    const command = engine.shell({ command: 'a' })
    await started
    const loop = engine.loop()
    await engine.cancel()
    expect(toolsOf([await command])[0]?.state).toMatchObject({ output: expect.stringContaining('stopped') })
    expect((await loop).info.id).toBe((await command).info.id)
    expect(server.requests).toHaveLength(0)
  })

  test('the status is busy during a command and idle after it', async () => {
    const { engine, events } = setup(server, { tools: [tool('bash')] })
    await engine.shell({ command: 'ls' })
    expect(events.flatMap((event) => (event.type === 'status' ? [event.status.type] : []))).toEqual(['busy', 'idle'])
  })
})
