import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Model } from '../../src/model/model.ts'
import { openCaps } from '../../src/session/caps.ts'
import { calls, delta, hang, http, type SseModel, sseModel, text, usage, whenAsked } from '../support/sse-model.ts'
import { assistantsOf, errorOf, result, setup, textOf, tool, toolsOf } from './harness.ts'
import { steppedClock } from './stepped-clock.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const MINUTE = 60_000
const read = (path: string, used = usage()) => calls([{ id: `call_${path}`, name: 'read', arguments: { path } }], 'tool_calls', used)
const priced = (): Model => server.model({ price: { input: 100, output: 1000 } })
const lastWords = () => String(server.requests.at(-1)?.body.messages.at(-1)?.content)

/** The last request asked for words only, and named the reason. */
function expectLastTurn(reason: string): void {
  expect(server.requests.at(-1)?.body.tool_choice).toBe('none')
  expect(server.requests.at(-1)?.body.tools).not.toEqual([])
  expect(lastWords()).toContain(reason)
}

describe('what a run has used up ends it with one last turn', () => {
  test('tokens, summed over the run, cached ones included', async () => {
    const cached = usage(400, 100, { prompt_tokens_details: { cached_tokens: 300 } })
    server.queue(read('a', cached), read('b', cached), text('As far as I came.'))
    const { ask, engine } = setup(server, { caps: { maxTokens: 1000 } })
    const answer = await ask()
    expect(textOf(answer)).toBe('As far as I came.')
    expect(errorOf(answer)).toBeUndefined()
    expect(server.requests.map(({ body }) => body.tool_choice)).toEqual(['auto', 'auto', 'none'])
    expectLastTurn('the limit of 1,000 tokens is reached (1,000 were used)')
    expect(engine.account().ending).toEqual({ cap: 'tokens', reason: expect.stringContaining('1,000 tokens') })
  })

  test('money, by the prices of the model', async () => {
    server.queue(read('a', usage(10_000, 500)), text('Too dear.'))
    const { ask, engine } = setup(server, { model: priced(), caps: { maxCost: 1.5 } })
    expect(textOf(await ask())).toBe('Too dear.')
    expectLastTurn('the limit of $1.50 is reached ($1.50 was spent)')
    expect(engine.account().ending?.cap).toBe('cost')
  })

  test('steps; the calls of the last turn are not carried out', async () => {
    const read1 = tool('read')
    server.queue(read('a'), calls([{ id: 'late', name: 'read', arguments: { path: 'b' } }]))
    const { ask, engine } = setup(server, { tools: [read1], maxSteps: 2 })
    await ask()
    expect(read1.inputs).toEqual([{ path: 'a' }])
    expectLastTurn('the limit of 2 steps is reached')
    expect(engine.account().ending?.cap).toBe('steps')
    expect(server.requests).toHaveLength(2)
  })

  test('an answer that comes in the step which reaches the limit is the answer, without another turn', async () => {
    server.queue(text('Done', 'stop', usage(5000, 10)))
    const { ask, engine } = setup(server, { caps: { maxTokens: 1000 } })
    expect(textOf(await ask())).toBe('Done')
    expect(server.requests).toHaveLength(1)
    expect(engine.account().ending).toBeUndefined()
  })

  test('without limits nothing is counted out', async () => {
    server.queue(read('a', usage(1_000_000, 10)), text('Done'))
    expect(textOf(await setup(server, { model: server.model({ limit: { context: 10_000_000, output: 1000 } }) }).ask())).toBe('Done')
    expect(server.requests.map(({ body }) => body.tool_choice)).toEqual(['auto', 'auto'])
  })
})

describe('the time limit', () => {
  test('cuts a running tool, keeps what it had shown, and leaves the last minute for the last turn', async () => {
    const clock = steppedClock()
    const slow = tool('read', async (_, { signal, metadata }) => {
      metadata({ metadata: { output: 'half of it' } })
      await clock.move(29 * MINUTE)
      await new Promise((_, reject) => (signal.aborted ? reject(new Error('killed')) : signal.addEventListener('abort', () => reject(new Error('killed')))))
      return result('never')
    })
    server.queue(read('a'), text('I ran out of time.'))
    const { ask, store, engine } = setup(server, { tools: [slow], clock, caps: { wallMs: 30 * MINUTE } })
    const answer = await ask()
    expect(textOf(answer)).toBe('I ran out of time.')
    expect(errorOf(answer)).toBeUndefined()
    expect(toolsOf(store.messages())[0]?.state).toMatchObject({ status: 'error', metadata: { interrupted: true, output: 'half of it' } })
    expect(assistantsOf(store.messages())[0]?.error).toMatchObject({ name: 'MessageAbortedError', message: expect.stringContaining('30 minutes') })
    expectLastTurn('the time limit of 30 minutes is reached')
    expect(server.requests.at(-1)?.text).toContain('half of it')
    expect(engine.account().ending?.cap).toBe('time')
    expect(server.refusals).toEqual([])
  })

  test('cuts a running answer; what it had said is kept, and the last turn follows', async () => {
    const clock = steppedClock()
    server.queue(hang(delta({ content: 'I was about to' })), text('sum up.'))
    const { ask, store } = setup(server, {
      clock,
      caps: { wallMs: 10_000 },
      sink: (event) => {
        if (event.type === 'part' && event.part.type === 'text' && !event.part.time?.end && event.part.text === 'I was about to') void clock.move(9_000)
      },
    })
    expect(textOf(await ask())).toBe('sum up.')
    expect(store.messages().map((message) => textOf(message))).toEqual(['please fix it', 'I was about to', 'sum up.'])
    expectLastTurn('the time limit of 10 seconds is reached')
    expect(server.refusals).toEqual([])
  })

  test('a last turn that is not over when all time is gets cut too; the work that was done still counts', async () => {
    const clock = steppedClock()
    const worker = tool('read', async () => {
      await clock.move(9_000)
      return result('edited')
    })
    server.queue(
      read('a'),
      whenAsked(() => void clock.move(1_000), hang(delta({ content: 'So far' }))),
    )
    const { ask, engine } = setup(server, { tools: [worker], clock, caps: { wallMs: 10_000 } })
    const answer = await ask()
    expect(errorOf(answer)).toBeUndefined()
    expect(engine.account().ending?.cap).toBe('time')
    expect(server.requests).toHaveLength(2)
  })

  test('a retry that would be later than the end of the work is not waited for', async () => {
    server.queue(http(503, { error: { message: 'busy' } }, { 'retry-after': '100' }))
    const { ask, clock } = setup(server, { clock: { ...steppedClock() }, caps: { wallMs: 60_000 } })
    expect(errorOf(await ask())).toMatchObject({ name: 'APIError', message: expect.stringContaining('past the end of the run') })
    expect(clock.waits).toEqual([])
    expect(server.requests).toHaveLength(1)
  })

  test('a cancelled run gets no last turn', async () => {
    const controller = new AbortController()
    const clock = steppedClock()
    const stopping = tool('read', async () => {
      controller.abort()
      return result('in time')
    })
    server.queue(read('a'))
    const { ask } = setup(server, { tools: [stopping], clock, signal: controller.signal, caps: { wallMs: MINUTE } })
    expect(errorOf(await ask())).toMatchObject({ name: 'MessageAbortedError', message: 'The run was stopped.' })
    expect(server.requests).toHaveLength(1)
  })

  test('no timer outlives a run', async () => {
    const clock = steppedClock()
    server.queue(text('Done'))
    await setup(server, { clock, caps: { wallMs: MINUTE, idleMs: 1000 } }).ask()
    expect(clock.sleepers).toBe(0)
  })
})

describe('the idle limit', () => {
  test('ends a run in which nothing happens any more', async () => {
    const clock = steppedClock()
    const deaf = tool('read', async () => {
      await clock.move(5 * MINUTE)
      return new Promise(() => {})
    })
    server.queue(read('a'), text('The tool hung.'))
    const { ask } = setup(server, {
      tools: [deaf],
      clock: {
        now: clock.now,
        // The grace time of a tool that was told to end passes at once.
        sleep: (ms, signal) => (ms === 250 ? Promise.resolve() : clock.sleep(ms, signal)),
      },
      caps: { idleMs: 5 * MINUTE },
    })
    expect(textOf(await ask())).toBe('The tool hung.')
    expectLastTurn('nothing has happened for 5 minutes')
  })

  test('begins anew with everything that happens', async () => {
    const clock = steppedClock()
    const caps = openCaps({ idleMs: 1000 }, clock)
    const unwatch = caps.watch()
    await clock.move(900)
    caps.touch()
    await clock.move(900)
    expect(caps.reached).toBeUndefined()
    await clock.move(100)
    expect(caps.reached?.cap).toBe('idle')
    unwatch()
  })
})

describe('when the last words can’t be had', () => {
  test('work that was done is no failure', async () => {
    server.queue(read('a'), http(400, { error: { message: 'no' } }))
    const { ask, events } = setup(server, { maxSteps: 2 })
    expect(errorOf(await ask())).toBeUndefined()
    expect(events).toContainEqual({ type: 'error', error: expect.objectContaining({ message: expect.stringContaining('no') }) })
  })

  test('a run that did nothing has failed', async () => {
    server.queue(http(400, { error: { message: 'no' } }))
    expect(errorOf(await setup(server, { maxSteps: 1 }).ask())).toMatchObject({ name: 'APIError' })
  })
})

describe('OpenCode’s form of the last request', () => {
  test('closes with words of the assistant and leaves tools on; calls are still not carried out', async () => {
    await using lenient = await sseModel({ prefill: true })
    const tried = tool('read')
    lenient.queue(read('a'), read('b'))
    const { ask } = setup(lenient, { tools: [tried], maxSteps: 2, maxStepsRole: 'assistant' })
    const answer = await ask()
    expect(lenient.requests.at(-1)?.body.tool_choice).toBe('auto')
    expect(lenient.requests.at(-1)?.body.messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: expect.stringContaining('the limit of 2 steps is reached'),
    })
    expect(tried.inputs).toEqual([{ path: 'a' }])
    expect(toolsOf([answer])[0]?.state).toMatchObject({ status: 'error', error: expect.stringContaining('last step') })
  })
})
