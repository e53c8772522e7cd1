import { describe, expect, test } from 'vitest'
import type { Trigger } from '../../src/event/trigger.ts'
import type { Discussion, Permission, PullFacts } from '../../src/github/types.ts'
import { limits } from '../../src/limits.ts'
import { keyOf, owedRequests, type QueueFacts } from '../../src/run/queue.ts'
import { gate } from '../../src/run/queue-access.ts'
import { claimBlock } from '../../src/thread/claim.ts'
import { encode, type Turn } from '../../src/thread/codec.ts'
import { loadThread } from '../../src/thread/load.ts'
import { refusal } from '../publish/fake.ts'
import { session, turn } from '../thread/turns.ts'
import { authorOf, Thread, viewer } from './threads.ts'

const repository = { owner: 'octo', name: 'demo' }
const minute = (number: number) => `2026-01-01T00:${String(number).padStart(2, '0')}:00Z`

/** A thread in which people spoke at given minutes. */
function said(...words: readonly (readonly [number, string, string, string?])[]): Thread {
  const thread = new Thread()
  for (const [at, login, body, edited] of words) thread.say(login, body, { createdAt: minute(at), updatedAt: edited ?? minute(at) })
  return thread
}

function ask(thread: Thread, id: number): Trigger {
  const comment = thread.comments().find((each) => each.id === id)
  if (!comment) throw new Error(`there is no comment ${id}`)
  const subject = { number: 12, isPull: false, title: 'Dates', body: '', author: 'rita', locked: false, state: 'open' }
  return { event: 'issue_comment', repository, actor: { login: comment.author.login, type: 'User' }, verb: { type: 'prompt', text: 'own' }, subject, comment }
}

function reply(thread: Thread, at: number, content: Partial<Turn>, kind?: 'checkpoint'): void {
  const id = thread.say(viewer, 'Reply.', { createdAt: minute(at) })
  thread.update(id, `Reply.\n\n${encode(turn(1, content), { seq: 1, kind }, [{ comment: id, chars: 60_000 }]).join('')}`)
}

const writers = new Set(['alice', 'bob'])

async function owed(thread: Thread, facts: Partial<QueueFacts> = {}, changes: Partial<Discussion> = {}) {
  const discussion = thread.discussion(changes)
  const loaded = loadThread(discussion.comments, { viewer, mode: 'thread' })
  const queue = await owedRequests(
    { discussion, thread: loaded, runId: '7', repository, settings: { triggers: ['/oc'] }, ...facts },
    async ({ actor }) => actor.type === 'User' && writers.has(actor.login),
  )
  return { ...queue, keys: queue.requests.map(({ key }) => key) }
}

const began = session({ created: Date.parse(minute(1)), handled: [101] })

describe('the queue of a thread', () => {
  test('holds the run’s own request and every newer one that nobody answered, oldest first', async () => {
    const thread = said([1, 'alice', '/oc one'], [2, 'bob', 'What about dates?'], [3, 'bob', '/oc three'], [4, 'alice', '/oc four'])
    reply(thread, 2, { session: began })
    const { keys, requests, notes } = await owed(thread, { own: ask(thread, 104) })
    expect(keys).toEqual(['comment:103', 'comment:104'])
    expect(requests[0]?.trigger).toMatchObject({
      event: 'issue_comment',
      actor: { login: 'bob', type: 'User' },
      verb: { type: 'prompt', text: 'three' },
      comment: { id: 103 },
    })
    expect(notes).toEqual([])
  })

  test('holds requests of the same second in the order they were made', async () => {
    const thread = said([1, 'alice', '/oc one'], [1, 'bob', '/oc two'], [1, 'alice', '/oc three'])
    const { keys } = await owed(thread, { own: ask(thread, 102) })
    expect(keys).toEqual(['comment:101', 'comment:102', 'comment:103'])
  })

  test('of a thread without a session begins with the run’s own request: an old thread is no flood', async () => {
    const thread = said(
      ...Array.from({ length: 30 }, (_, index) => [index, 'alice', '/oc long ago'] as const),
      [40, 'alice', '/oc now'],
      [41, 'bob', '/oc and this'],
    )
    expect((await owed(thread, { own: ask(thread, 131) })).keys).toEqual(['comment:131', 'comment:132'])
  })

  test('counts what was asked while the first run was on its way, and nothing from before', async () => {
    const thread = said([1, 'alice', '/oc before'], [3, 'alice', '/oc first'], [4, 'bob', '/oc meanwhile'], [9, 'alice', '/oc now'])
    reply(thread, 5, { session: session({ created: Date.parse(minute(5)), handled: [102] }) })
    expect((await owed(thread, { own: ask(thread, 104) })).keys).toEqual(['comment:103', 'comment:104'])
  })

  test('passes over what is hidden, edited, our own, of people who may not ask, and of bots', async () => {
    const thread = said(
      [1, 'alice', '/oc now'],
      [2, 'alice', '/oc hidden'],
      [3, 'bob', '/oc edited', minute(4)],
      [4, 'mallory', '/oc evil'],
      [5, 'renovate[bot]', '/oc bump'],
    )
    thread.say(viewer, 'I ran /oc one', { createdAt: minute(6) })
    thread.say('alice', '/oc <!-- opencode:session:v1 x -->', { createdAt: minute(6) })
    for (const entry of thread.entries) if (entry.body === '/oc hidden') entry.minimized = true
    const { keys, notes } = await owed(thread, { own: ask(thread, 101) })
    expect(keys).toEqual(['comment:101'])
    expect(notes).toEqual([expect.stringMatching(/edited after they were written.*comment\/103/)])
  })

  test('an edit within seconds is part of writing', async () => {
    const thread = said([1, 'alice', '/oc now'], [2, 'bob', '/oc typo', '2026-01-01T00:02:04Z'])
    expect((await owed(thread, { own: ask(thread, 101) })).keys).toEqual(['comment:101', 'comment:102'])
  })

  test('holds ten requests at the most, the oldest and the run’s own; the rest is told', async () => {
    const thread = said(...Array.from({ length: 14 }, (_, index) => [index + 2, 'alice', '/oc more'] as const))
    reply(thread, 1, { session: session({ created: Date.parse(minute(1)), handled: [] }) })
    const { keys, notes } = await owed(thread, { own: ask(thread, 114) })
    expect(keys).toHaveLength(limits.requestsPerRun)
    expect([keys[0], keys.at(-2), keys.at(-1)]).toEqual(['comment:101', 'comment:109', 'comment:114'])
    expect(notes).toEqual([expect.stringMatching(/^4 more requests/)])
  })

  test('help is answered by its own run alone, and what a later cancel takes back is not answered', async () => {
    const thread = said([1, 'alice', '/oc one'], [2, 'bob', '/oc help'], [3, 'bob', '/oc two'], [4, 'alice', '/oc cancel'], [5, 'bob', '/oc three'])
    expect(await owed(thread, { own: ask(thread, 101) })).toMatchObject({ keys: ['comment:105'], cancelled: ['comment:101', 'comment:103'] })
    expect((await owed(thread, { own: ask(thread, 101), isRerun: true })).keys).toEqual(['comment:101', 'comment:105'])
  })

  test('a cancel takes back what came before it in the same second, and nothing that came after', async () => {
    const thread = said([1, 'alice', '/oc one'], [4, 'bob', '/oc two'], [4, 'alice', '/oc cancel'], [4, 'bob', '/oc three'])
    expect(await owed(thread, { own: ask(thread, 104) })).toMatchObject({ keys: ['comment:104'], cancelled: ['comment:102'] })
    expect(await owed(thread, { own: ask(thread, 101) })).toMatchObject({ keys: ['comment:104'], cancelled: ['comment:101', 'comment:102'] })
  })

  test('a cancel by somebody who may not ask takes nothing back', async () => {
    const thread = said([1, 'alice', '/oc one'], [2, 'mallory', '/oc cancel'])
    expect(await owed(thread, { own: ask(thread, 101) })).toMatchObject({ keys: ['comment:101'], cancelled: [] })
  })

  test('a run that died leaves what its claim names, however old; one that told of its failure leaves nothing', async () => {
    const claim = { run: '1', attempt: 1, id: 'x', request: 'comment:101', taken: ['comment:102'] }
    const died = said([1, 'alice', '/oc one'], [2, 'bob', '/oc two'], [9, 'alice', '/oc now'])
    died.say(viewer, `Working.\n\n${claimBlock(claim)}`, { createdAt: minute(3) })
    expect((await owed(died, { own: ask(died, 103) })).keys).toEqual(['comment:101', 'comment:102', 'comment:103'])
    const failed = said([1, 'alice', '/oc one'], [2, 'bob', '/oc two'], [9, 'alice', '/oc now'])
    failed.say(viewer, `It failed.\n\n${claimBlock({ ...claim, ended: true })}`, { createdAt: minute(3) })
    reply(failed, 3, { session: session({ created: Date.parse(minute(0)), handled: [] }) })
    expect((await owed(failed, { own: ask(failed, 103) })).keys).toEqual(['comment:103'])
    expect((await owed(failed, { own: ask(failed, 101) })).keys).toEqual(['comment:101', 'comment:103'])
  })

  test('an issue that asked itself is owed an answer when the run that worked on it died', async () => {
    const thread = said([9, 'alice', '/oc now'])
    thread.say(viewer, claimBlock({ run: '1', attempt: 1, id: 'x', request: 'subject:12' }), { createdAt: minute(1) })
    const asks = { body: '/oc fix the dates', author: authorOf('bob') }
    const { keys, requests } = await owed(thread, { own: ask(thread, 101) }, asks)
    expect(keys).toEqual(['subject:12', 'comment:101'])
    expect(requests[0]?.trigger).toMatchObject({ event: 'issues', action: 'opened', asks: true, actor: { login: 'bob' }, verb: { text: 'fix the dates' } })
    expect((await owed(said([9, 'alice', '/oc now']), { own: ask(thread, 101) }, asks)).keys).toEqual(['comment:101'])
  })

  test('what a checkpoint holds is not asked again: it is gone on with', async () => {
    const thread = said([1, 'alice', '/oc one'], [2, 'bob', '/oc two'], [9, 'alice', '/oc now'])
    reply(thread, 3, { session: session({ created: Date.parse(minute(1)), handled: [] }), taken: ['comment:101'] }, 'checkpoint')
    expect(await owed(thread, { own: ask(thread, 103) })).toMatchObject({ keys: ['comment:102', 'comment:103'], resumed: ['comment:101'] })
    const again = await owed(thread, { own: ask(thread, 101) })
    expect(again.requests.map(({ key, trigger }) => [key, trigger.verb.type])).toEqual([
      ['comment:101', 'continue'],
      ['comment:102', 'prompt'],
      ['comment:103', 'prompt'],
    ])
  })

  test('what is left over after a turn is found without a request of the run’s own, by its key', async () => {
    const thread = said([1, 'alice', '/oc one'], [2, 'bob', '/oc /review'], [3, 'bob', '/oc !npm test'])
    reply(thread, 4, { session: began })
    const { requests } = await owed(thread, { named: ['comment:102'] })
    expect(requests.map(({ key, trigger }) => [key, trigger.verb])).toEqual([
      ['comment:102', { type: 'command', name: 'review', arguments: '' }],
      ['comment:103', { type: 'shell', command: 'npm test' }],
    ])
  })

  test('a request that nobody wrote comes first and is no measure of time', async () => {
    const thread = said([1, 'alice', '/oc long ago'])
    const own: Trigger = { event: 'schedule', cron: '0 0 * * *', repository, actor: { login: 'alice', type: 'User' }, verb: { type: 'prompt', text: 'sweep' } }
    expect(keyOf(own, '7')).toBe('event:7')
    expect((await owed(thread, { own })).keys).toEqual(['event:7'])
  })
})

describe('on a pull request', () => {
  const facts: PullFacts = {
    ...{ baseRef: 'main', baseSha: 'base', headRef: 'fix', headSha: 'head', headRepository: 'octo/demo', isFork: false, merged: false, draft: false },
    ...{ maintainerCanModify: true, additions: 1, deletions: 1, commits: 1, changedFiles: 1, files: [], reviews: [], threads: [], closes: [], checks: [] },
  }
  const remark = (id: number, at: number, body: string) => ({
    id,
    author: authorOf('bob'),
    body,
    createdAt: minute(at),
    lastEditedAt: null,
    minimized: false,
    url: `r${id}`,
  })
  const spot = { id: 'T', path: 'a.ts', line: 3, startLine: null, side: 'RIGHT' as const, resolved: false, outdated: false, hunk: '@@' }
  const threads = [{ ...spot, comments: [remark(50, 2, 'Why?'), remark(51, 5, '/oc fix this line')] }]
  const review = {
    id: 60,
    author: authorOf('bob'),
    body: '/oc fix all',
    state: 'COMMENTED',
    submittedAt: minute(4),
    lastEditedAt: null,
    minimized: false,
    commit: 'seen',
    url: 'v60',
  }

  test('remarks and reviews are requests too, with the place they speak of', async () => {
    const thread = said([1, 'alice', '/oc now'])
    const { keys, requests } = await owed(thread, { own: ask(thread, 101) }, { pull: { ...facts, threads, reviews: [review] } })
    expect(keys).toEqual(['comment:101', 'review:60', 'review-comment:51'])
    expect(requests[1]?.trigger).toMatchObject({ event: 'pull_request_review', review: { id: 60, state: 'commented', commit: 'seen' }, head: { sha: 'seen' } })
    expect(requests[2]?.trigger).toMatchObject({ event: 'pull_request_review_comment', spot: { path: 'a.ts', line: 3, thread: 50 }, head: { sha: 'head' } })
  })

  test('of a fork, requests that tell no commit are left to their own runs (C141)', async () => {
    const thread = said([1, 'alice', '/oc now'])
    const reviews = [review, { ...review, id: 61, commit: null }]
    expect((await owed(thread, { own: ask(thread, 101) }, { pull: { ...facts, isFork: true, threads, reviews } })).keys).toEqual(['comment:101', 'review:60'])
  })
})

describe('the gate', () => {
  const lists = { allowedUsers: ['carol'], allowedBots: ['renovate'] }
  const of = (thread: Thread, login: string) => ask(thread, thread.say(login, '/oc x'))

  test('asks GitHub about each person, but not about those whom a list decides', async () => {
    const asked: string[] = []
    const permission = async (login: string): Promise<Permission> => {
      asked.push(login)
      return { kind: 'known', permission: login === 'alice' ? 'write' : 'read', role: '' }
    }
    const mayAsk = gate(lists, { permission }, () => undefined)
    const thread = new Thread()
    const answers = await Promise.all(['alice', 'carol', 'mallory'].map((login) => mayAsk(of(thread, login))))
    expect(answers).toEqual([true, true, false])
    expect(asked).toEqual(['alice', 'mallory'])
  })

  test('stays shut where GitHub does not answer, says so, and asks again the next time (C21)', async () => {
    const notes: string[] = []
    let calls = 0
    const permission = async (): Promise<Permission> => {
      calls++
      if (calls === 1) throw refusal('server')
      return { kind: 'known', permission: 'write', role: '' }
    }
    const mayAsk = gate(lists, { permission }, (note) => void notes.push(note))
    const thread = new Thread()
    expect(await mayAsk(of(thread, 'alice'))).toBe(false)
    expect(await mayAsk(of(thread, 'alice'))).toBe(true)
    expect(notes).toEqual([expect.stringMatching(/request of alice has to wait.*GitHub said no/)])
  })
})
