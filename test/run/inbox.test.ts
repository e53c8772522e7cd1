import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Trigger } from '../../src/event/trigger.ts'
import { type InboxOptions, openInbox } from '../../src/run/inbox.ts'
import type { Owed } from '../../src/run/queue.ts'
import { afterwards } from '../support/closing.ts'
import { Thread, viewer } from './threads.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const repository = { owner: 'octo', name: 'demo' }
const subject = { number: 12, isPull: false, title: 'Dates', body: '', author: 'rita', locked: false, state: 'open' }

function owed(thread: Thread, id: number, verb: Trigger['verb']): Owed {
  const comment = thread.comments().find((each) => each.id === id)
  if (!comment) throw new Error(`there is no comment ${id}`)
  const trigger: Trigger = { event: 'issue_comment', repository, actor: { login: comment.author.login, type: 'User' }, verb, subject, comment }
  return { key: `comment:${id}`, at: comment.createdAt, trigger }
}

/** A run that works on the request of alice, and the thread around it. */
function atWork(changes: (thread: Thread) => Partial<InboxOptions> = () => ({})) {
  const thread = new Thread(() => Date.now() - began)
  const began = Date.now()
  const first = owed(thread, thread.say('alice', '/oc fix it'), { type: 'prompt', text: 'fix it' })
  const cancels: string[] = []
  const promises: number[] = []
  let looks = 0
  const watch = thread.watch()
  const counting = {
    look: () => {
      looks++
      return watch.look()
    },
  }
  const changed = changes(thread)
  const discussion = thread.discussion()
  const inbox = openInbox({
    ...{ watch: counting, discussion, comments: thread.watched(), first, rest: [], triggers: ['/oc'] },
    mayAsk: async ({ actor }) => actor.login === 'alice' || actor.login === 'bob',
    onCancel: ({ login }) => void cancels.push(login),
    onPromise: () => void promises.push(looks),
    now: () => Date.now(),
    ...changed,
  })
  afterwards(inbox.close)
  return { thread, inbox, cancels, promises, looks: () => looks }
}

const wait = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000)

test('a comment made during the work reaches the loop at its next step, once', async () => {
  const { thread, inbox, promises } = atWork()
  await wait(3)
  const id = thread.say('bob', '/oc use UTC')
  expect(await inbox.poll()).toEqual([{ text: 'use UTC', source: { kind: 'comment', id, author: 'bob', url: `https://github.test/comment/${id}` } }])
  expect(await inbox.poll()).toEqual([])
  expect(inbox.taken()).toEqual(['comment:101', `comment:${id}`])
  expect(promises).toHaveLength(1)
})

test('between two steps it is seen in the background, and promised at once to the run that waits for it', async () => {
  const { thread, inbox, looks } = atWork()
  const id = thread.say('bob', '/oc use UTC')
  await wait(5)
  expect(looks()).toBe(1)
  expect(inbox.promised()).toEqual(['comment:101', `comment:${id}`])
  expect(inbox.taken()).toEqual(['comment:101'])
  expect(await inbox.poll()).toHaveLength(1)
  expect(looks()).toBe(1)
})

test('steps that follow each other quickly look once in two seconds; the last look before publishing is always taken', async () => {
  const { thread, inbox, looks } = atWork()
  for (let step = 0; step < 5; step++) await inbox.poll()
  expect(looks()).toBe(0)
  await wait(2)
  for (let step = 0; step < 5; step++) await inbox.poll()
  expect(looks()).toBe(1)
  thread.say('alice', '/oc one more thing')
  expect(await inbox.arrived()).toBe(true)
  expect(await inbox.poll()).toMatchObject([{ text: 'one more thing' }])
  expect(await inbox.arrived()).toBe(false)
})

test('only authorised, unedited comments that call us count; nothing that was there before does', async () => {
  const { thread, inbox } = atWork((early) => {
    early.say('bob', '/oc was there')
    return {}
  })
  await wait(3)
  thread.say('mallory', '/oc evil')
  thread.say('bob', 'I like this')
  thread.say('bob', '/oc help')
  thread.say(viewer, '/oc it is me')
  thread.say('alice', '/oc edited', { updatedAt: '2026-01-01T01:00:00Z' })
  thread.say('alice', '/oc left out of the discussion', { createdAt: '2020-01-01T00:00:00Z', updatedAt: '2020-01-01T00:00:00Z' })
  expect(await inbox.poll()).toEqual([])
  expect(inbox.promised()).toEqual(['comment:101'])
})

test('what was said while this run took the lead is not missed', async () => {
  const thread = new Thread()
  const first = owed(thread, thread.say('alice', '/oc fix it'), { type: 'prompt', text: 'fix it' })
  const discussion = thread.discussion()
  thread.say('bob', '/oc quickly')
  const watch = thread.watch()
  const comments = (await watch.look()) ?? []
  const inbox = openInbox({ watch, discussion, comments, first, rest: [], triggers: ['/oc'], mayAsk: async () => true, onCancel: () => undefined })
  afterwards(inbox.close)
  expect(await inbox.poll()).toMatchObject([{ text: 'quickly' }])
})

test('a remark on the diff is heard, under a key of its own', async () => {
  const { thread, inbox } = atWork()
  await wait(3)
  const id = thread.say('bob', '/oc rename it', { kind: 'review-comment' })
  expect(await inbox.poll()).toMatchObject([{ text: 'rename it' }])
  expect(inbox.taken()).toEqual(['comment:101', `review-comment:${id}`])
})

test('the trigger word alone and `continue` are words for the loop', async () => {
  const { thread, inbox } = atWork()
  await wait(3)
  thread.say('bob', '/oc')
  thread.say('bob', '/oc continue')
  expect((await inbox.poll()).map(({ text }) => text)).toEqual(['Have another look at this thread and go on.', 'Go on.'])
})

test('commands wait until the loop has ended, and so does what is said after them', async () => {
  const { thread, inbox } = atWork()
  await wait(3)
  const ids = ['/oc before', '/oc undo', '/oc !npm test', '/oc then this'].map((body) => thread.say('bob', body))
  expect(await inbox.poll()).toMatchObject([{ text: 'before' }])
  expect(inbox.pending()).toEqual(ids.slice(1).map((id) => `comment:${id}`))
  expect(inbox.promised()).toEqual(['comment:101', ...ids.map((id) => `comment:${id}`)])
  expect(await inbox.arrived()).toBe(false)
})

test('requests that waited before the run began come with the first step, in order', async () => {
  const { inbox } = atWork((thread) => {
    const [one, two, three] = [thread.say('bob', '/oc one'), thread.say('bob', '/oc continue'), thread.say('bob', '/oc /review')]
    return {
      rest: [
        owed(thread, one, { type: 'prompt', text: 'one' }),
        owed(thread, two, { type: 'continue' }),
        owed(thread, three, { type: 'command', name: 'review', arguments: '' }),
      ],
    }
  })
  expect(await inbox.poll()).toMatchObject([{ text: 'one' }])
  expect(inbox.taken()).toEqual(['comment:101', 'comment:103', 'comment:102'])
  expect(inbox.pending()).toEqual(['comment:104'])
})

test('a cancel by somebody authorised is heard within seconds, once', async () => {
  const { thread, cancels } = atWork()
  thread.say('mallory', '/oc cancel')
  await wait(5)
  expect(cancels).toEqual([])
  thread.say('bob', '/oc cancel')
  thread.say('alice', '/oc cancel')
  await wait(5)
  expect(cancels).toEqual(['bob'])
})

test('looks that fail are noted once, and the loop goes on', async () => {
  const { inbox } = atWork(() => ({ watch: { look: () => Promise.reject(new Error('GitHub is down.')) } }))
  await wait(20)
  expect(await inbox.poll()).toEqual([])
  expect(await inbox.arrived()).toBe(false)
  expect(inbox.notes).toEqual([expect.stringMatching(/could not be looked at.*GitHub is down\./)])
})

test('a look that hangs holds no step up for long', async () => {
  const { inbox } = atWork(() => ({ watch: { look: () => new Promise<undefined>(() => undefined) } }))
  await wait(6)
  const polled = inbox.poll()
  await wait(3)
  expect(await polled).toEqual([])
})

test('after the end nothing is looked for any more', async () => {
  const { thread, inbox, cancels, looks } = atWork()
  inbox.close()
  thread.say('bob', '/oc cancel')
  thread.say('bob', '/oc too late')
  await wait(20)
  expect(await inbox.arrived()).toBe(false)
  expect({ cancels, looks: looks() }).toEqual({ cancels: [], looks: 0 })
})

test('what waits for the loop when it has ended is pending, so that nobody is left with a promise', async () => {
  const { thread, inbox } = atWork()
  await wait(3)
  thread.say('bob', '/oc use UTC')
  thread.say('bob', '/oc !npm test')
  await wait(5)
  expect(inbox.promised()).toEqual(['comment:101', 'comment:102', 'comment:103'])
  inbox.close()
  expect({ taken: inbox.taken(), pending: inbox.pending() }).toEqual({ taken: ['comment:101'], pending: ['comment:102', 'comment:103'] })
})

test('what a look brings after the end is promised nothing', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { thread, inbox, cancels } = atWork((known) => ({
    watch: {
      async look() {
        await promise
        return known.watched()
      },
    },
  }))
  await wait(5)
  thread.say('bob', '/oc use UTC')
  thread.say('bob', '/oc cancel')
  inbox.close()
  resolve()
  await wait(1)
  expect({ promised: inbox.promised(), pending: inbox.pending(), cancels }).toEqual({ promised: ['comment:101'], pending: [], cancels: [] })
})

test.each([{ type: 'undo' }, { type: 'shell', command: 'npm test' }] satisfies Trigger['verb'][])(
  'behind a turn without a loop ($type) everything waits for a turn of its own',
  async (verb) => {
    const { thread, inbox } = atWork((known) => {
      const first = owed(known, 101, verb)
      const rest = [
        owed(known, known.say('bob', '/oc continue'), { type: 'continue' }),
        owed(known, known.say('bob', '/oc use UTC'), { type: 'prompt', text: 'use UTC' }),
      ]
      return { first, rest }
    })
    await wait(3)
    thread.say('bob', '/oc and quickly')
    expect(await inbox.arrived()).toBe(false)
    expect({ taken: inbox.taken(), pending: inbox.pending() }).toEqual({ taken: ['comment:101'], pending: ['comment:102', 'comment:103', 'comment:104'] })
  },
)
