import { expect, test } from 'vitest'
import { createProgress, type ProgressOptions } from '../../src/report/progress.ts'
import { noTokens, type Part, type Session, type ToolPart, type ToolState, type WithParts } from '../../src/session/message.ts'
import type { Store } from '../../src/session/ports.ts'
import { sampleSession } from './sample-session.ts'

/** A clock whose time passes when a test says so. */
function manualClock() {
  let now = 1_000_000
  const waiting = new Map<object, { at: number; act: () => void }>()
  return {
    now: () => now,
    after(ms: number, act: () => void) {
      const key = {}
      waiting.set(key, { at: now + ms, act })
      return () => void waiting.delete(key)
    },
    timers: () => waiting.size,
    /** Lets time pass, timer by timer, with everything each of them sets off. */
    async pass(ms: number) {
      const end = now + ms
      for (;;) {
        const [next] = [...waiting].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)
        if (!next) break
        const [key, { at, act }] = next
        waiting.delete(key)
        now = Math.max(now, at)
        act()
        await settled()
      }
      now = end
    },
  }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

const before = { steps: 2, tokens: noTokens, cost: 1 }
const usage = (steps: number, cost: number): Session['usage'] => ({ steps, tokens: noTokens, cost })

function storeOf(change: Partial<Session>, messages: readonly WithParts[] = []): Pick<Store, 'session' | 'messages'> & { session: Session } {
  return { session: sampleSession(change), messages: () => messages }
}

function begin(options: Partial<ProgressOptions> = {}) {
  const clock = manualClock()
  const posts: { at: number; body: string }[] = []
  const began = clock.now()
  const progress = createProgress({
    runUrl: 'https://github.test/run/1',
    mode: 'live',
    redact: (text) => text.replaceAll('hunter22', '[redacted]'),
    clock,
    post: (body) => {
      posts.push({ at: clock.now() - began, body })
      return Promise.resolve()
    },
    ...options,
  })
  return { clock, posts, progress, last: () => posts.at(-1)?.body ?? '' }
}

const tool = (id: string, state: ToolState, name = 'bash'): ToolPart => ({ id, messageID: 'msg_1', type: 'tool', callID: id, tool: name, state })
const running = (id: string, title: string, name?: string, metadata = {}): { type: 'part'; part: Part } => ({
  type: 'part',
  part: tool(id, { status: 'running', input: {}, title, metadata, time: { start: 0 } }, name),
})
const done = (id: string, title: string, name?: string): { type: 'part'; part: Part } => ({
  type: 'part',
  part: tool(id, { status: 'completed', input: {}, output: '', title, metadata: {}, time: { start: 0, end: 1 } }, name),
})

test('the comment shows the run, the figures, the todo list, the call at work and the ones before it', async () => {
  const { clock, progress, last } = begin()
  const todos = [
    { content: 'Find the bug', status: 'completed', priority: 'high' },
    { content: 'Mend it', status: 'in_progress', priority: 'high' },
    { content: 'Tell', status: 'pending', priority: 'low' },
    { content: 'Sing', status: 'cancelled', priority: 'low' },
  ]
  progress.watch({ store: storeOf({ todos, usage: usage(5, 1.25) }), before })
  for (const name of ['a', 'b', 'c', 'd']) {
    progress.listen(running(name, name, 'read'))
    progress.listen(done(name, name, 'read'))
  }
  progress.listen(running('e', 'npm test'))
  await clock.pass(185_000)
  progress.touch()
  await clock.pass(3_000)
  expect(last()).toBe(
    [
      'Working on it. [Follow the run](https://github.test/run/1). <sub>3 min · 3 steps · $0.25</sub>',
      '- [x] Find the bug\n- [ ] <strong>Mend it</strong>\n- [ ] Tell\n- [x] <del>Sing</del>',
      '- Now: `bash` `npm test`',
      '<sub>Before: `read` `d` · `read` `c` · `read` `b`</sub>',
    ].join('\n\n'),
  )
})

test('C136 what a model wrote calls nobody, links nowhere and is no markup', async () => {
  const { clock, progress, last } = begin()
  const todos = [{ content: '**now** @alice #12 GH-3 <img src=x> [a](https://x.test) `c`\n# big', status: 'pending', priority: '' }]
  progress.watch({ store: storeOf({ todos }), before })
  progress.listen(running('a', 'echo `@alice` ```\n<b>x', 'ba`sh'))
  await clock.pass(3_000)
  expect(last()).toContain(
    '- [ ] \\*\\*now\\*\\* @&#8203;alice #&#8203;12 GH-&#8203;3 \\<img src\\=x\\> \\[a\\]\\(https\\:\\/\\/x\\.test\\) \\`c\\` #&#8203; big',
  )
  expect(last()).toContain('- Now: ``ba`sh`` ````echo `@alice` ``` <b>x````')
})

test('C140 secrets are taken out before a title is cut or marked up', async () => {
  const { clock, progress, last } = begin()
  progress.watch({ store: storeOf({ todos: [{ content: 'use hunter22', status: 'pending', priority: '' }] }), before })
  progress.listen(running('a', `${'x'.repeat(96)}hunter22`))
  progress.listen({ type: 'status', status: { type: 'retry', attempt: 1, message: 'hunter22 is wrong', next: 0 } })
  await clock.pass(3_000)
  expect(last()).not.toContain('hunt')
  expect(last()).toContain('\\[redacted\\]')
})

test('edits come at most every three seconds, and the last state is always shown', async () => {
  const { clock, posts, progress } = begin()
  progress.listen(running('a', 'first'))
  await clock.pass(1_000)
  expect(posts).toEqual([])
  for (let step = 0; step < 40; step++) {
    progress.listen(running('a', `title ${step}`))
    await clock.pass(250)
  }
  await clock.pass(3_000)
  expect(posts.map(({ at }) => at)).toEqual([3_000, 6_000, 9_000, 12_000])
  expect(posts.at(-1)?.body).toContain('title 39')
})

test('text that arrives letter by letter is no reason for an edit', async () => {
  const { clock, posts, progress } = begin()
  progress.listen({ type: 'part', part: { id: 'p', messageID: 'm', type: 'text', text: 'abc' } })
  await clock.pass(10_000)
  expect(posts).toEqual([])
})

test('a run in which nothing happens shows a sign of life every minute', async () => {
  const { clock, posts } = begin()
  await clock.pass(185_000)
  expect(posts.map(({ at }) => at)).toEqual([60_000, 120_000, 180_000])
  expect(posts.at(-1)?.body).toContain('3 min')
})

test('an old run is edited less often, for an account may write 500 times an hour', async () => {
  const { clock, posts, progress } = begin()
  for (let second = 0; second < 3_600; second++) {
    progress.listen(running('a', `title ${second}`))
    await clock.pass(1_000)
  }
  expect(posts.length).toBeGreaterThan(100)
  expect(posts.length).toBeLessThan(450)
})

test('where only the final answer is wished for, the comment says that the run lives, and nothing else', async () => {
  const { clock, posts, progress } = begin({ mode: 'final' })
  progress.watch({ store: storeOf({ todos: [{ content: 'x', status: 'pending', priority: '' }] }), before })
  progress.listen(running('a', 'npm test'))
  await clock.pass(125_000)
  expect(posts).toEqual([
    { at: 60_000, body: 'Working on it. [Follow the run](https://github.test/run/1). <sub>1 min</sub>' },
    { at: 120_000, body: 'Working on it. [Follow the run](https://github.test/run/1). <sub>2 min</sub>' },
  ])
})

test('a checkpoint gets its edit though nothing that is seen has changed', async () => {
  const { clock, posts, progress } = begin({ mode: 'final' })
  progress.touch()
  await clock.pass(3_000)
  expect(posts).toHaveLength(1)
})

test('a wait for the model is told, and forgotten when it answers', async () => {
  const { clock, progress, last } = begin()
  progress.listen({ type: 'status', status: { type: 'retry', attempt: 2, message: 'overloaded', next: 0 } })
  await clock.pass(3_000)
  expect(last()).toContain('> The model is asked again, for attempt 2 failed: overloaded')
  progress.listen({ type: 'part', part: { id: 's', messageID: 'm', type: 'step-start' } })
  await clock.pass(3_000)
  expect(last()).not.toContain('asked again')
})

test('a subtask is shown with its steps and what it is at', async () => {
  const { clock, progress, last } = begin()
  const working: WithParts = {
    info: { role: 'user', id: 'm', time: { created: 0 }, agent: 'build', model: sampleSession().model },
    parts: [tool('x', { status: 'running', input: { filePath: 'src/a.ts' }, time: { start: 0 } }, 'read')],
  }
  const child = storeOf({ id: 'ses_child', usage: usage(4, 0) }, [working])
  progress.watch({ store: storeOf({}), before, subtasks: () => [child] })
  progress.listen(running('t', 'Look for callers', 'task', { sessionId: 'ses_child' }))
  await clock.pass(3_000)
  expect(last()).toContain('- Subtask `Look for callers`: 4 steps, now `read` `src/a.ts`')
})

test('never two edits at a time: what happens meanwhile is in the next', async () => {
  let finish = () => {}
  let inFlight = 0
  const most: number[] = []
  const { clock, progress } = begin({
    post: async () => {
      most.push(++inFlight)
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      inFlight--
    },
  })
  progress.listen(running('a', 'one'))
  await clock.pass(3_000)
  progress.listen(running('a', 'two'))
  progress.touch()
  await clock.pass(120_000)
  expect(most).toEqual([1])
  finish()
  await settled()
  await clock.pass(3_000)
  expect(most).toEqual([1, 1])
})

test('C139 edits that fail become rarer and are told once; they throw at nobody', async () => {
  let failing = true
  const times: number[] = []
  const { clock, progress } = begin({
    post: () => {
      times.push(clock.now())
      return failing ? Promise.reject(new Error('403 forbidden')) : Promise.resolve()
    },
  })
  progress.listen(running('a', 'x'))
  await clock.pass(200_000)
  const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0))
  expect(pauses.slice(0, 4)).toEqual([6_000, 12_000, 24_000, 48_000])
  expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000)
  expect(progress.notes).toEqual(['The progress comment could not be kept up to date: 403 forbidden'])
  failing = false
  await clock.pass(60_000)
  expect(progress.notes).toHaveLength(1)
})

test('stopping waits for the edit in flight, and nothing comes after it', async () => {
  let finish = () => {}
  let posts = 0
  const { clock, progress } = begin({
    post: () => {
      posts++
      return new Promise<void>((resolve) => {
        finish = resolve
      })
    },
  })
  progress.listen(running('a', 'x'))
  await clock.pass(3_000)
  let stopped = false
  const stopping = progress.stop().then(() => {
    stopped = true
  })
  await settled()
  expect(stopped).toBe(false)
  finish()
  await stopping
  progress.listen(running('b', 'y'))
  progress.touch()
  await clock.pass(600_000)
  expect(posts).toBe(1)
  expect(clock.timers()).toBe(0)
})
