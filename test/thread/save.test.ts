import { expect, test } from 'vitest'
import { GitHubError, type GitHubErrorKind } from '../../src/github/errors.ts'
import type { Comment, PostedComment } from '../../src/github/types.ts'
import { limits } from '../../src/limits.ts'
import { sessionKey } from '../../src/thread/codec.ts'
import { isOurs, stripHidden } from '../../src/thread/hidden.ts'
import { loadThread } from '../../src/thread/load.ts'
import { saveTurn, visibleBudget } from '../../src/thread/save.ts'
import { inRemarkThread } from '../../src/thread/voice.ts'
import { assistant, noise, tool, turn, user } from './turns.ts'

const viewer = 'opencode[bot]'
type Method = 'create' | 'update' | 'delete'

/** A GitHub with comments only: numbers them, holds GitHub's limit, and refuses what a test tells it to. */
class Comments {
  readonly calls: string[] = []
  readonly bodies = new Map<number, string>()
  readonly #refuse: (call: string, body: string) => GitHubErrorKind | undefined
  #last = 100

  constructor(refuse: (call: string, body: string) => GitHubErrorKind | undefined = () => undefined) {
    this.#refuse = refuse
  }

  async createComment(issue: number, body: string): Promise<PostedComment> {
    this.#note('create', issue, body)
    this.#last++
    this.bodies.set(this.#last, body)
    return this.#posted(this.#last)
  }

  async updateComment(id: number, body: string): Promise<PostedComment> {
    this.#note('update', id, body)
    this.bodies.set(id, body)
    return this.#posted(id)
  }

  async deleteComment(id: number): Promise<void> {
    this.#note('delete', id, '')
    this.bodies.delete(id)
  }

  /** The thread as the next run will find it. */
  thread(): Comment[] {
    return [...this.bodies].map(([id, body]) => ({
      id,
      author: { login: viewer, isBot: true },
      body,
      createdAt: '2026-01-01T00:00:00Z',
      lastEditedAt: null,
      minimized: false,
      url: '',
    }))
  }

  #note(method: Method, id: number, body: string): void {
    const call = `${method} ${id}${isOurs(body) ? ' with memory' : ''}`
    this.calls.push(call)
    if (method !== 'delete' && Buffer.byteLength(body) > limits.commentChars) throw new GitHubError('Body is too long.', '', { kind: 'invalid', status: 422 })
    const kind = this.#refuse(call, body)
    if (kind) throw new GitHubError(`GitHub said ${kind}.`, '', { kind })
  }

  #posted(id: number): PostedComment {
    return { id, url: `https://example.test/comments/${id}` }
  }
}

const request = { issue: 12, body: 'Fixed the parsing.', turn: turn(1), seq: 1 }
const load = (github: Comments) => loadThread(github.thread(), { viewer, mode: 'thread' })

test('without a comment the reply is created with its visible text alone and edited afterwards', async () => {
  const github = new Comments()
  const saved = await saveTurn(github, request)
  expect(github.calls).toEqual(['create 12', 'update 101 with memory'])
  expect(saved).toEqual({ comment: { id: 101, url: 'https://example.test/comments/101' }, continuations: 0, notes: [] })
  expect(stripHidden(github.bodies.get(101) ?? '')).toBe('Fixed the parsing.')
  expect(load(github)).toMatchObject({ seq: 1, messages: turn(1).messages, warnings: [] })
})

test('the progress comment becomes the reply with one edit', async () => {
  const github = new Comments()
  github.bodies.set(55, 'Working on it.')
  expect(await saveTurn(github, { ...request, comment: { id: 55 } })).toMatchObject({ comment: { id: 55 }, continuations: 0, notes: [] })
  expect(github.calls).toEqual(['update 55 with memory'])
  expect(load(github).seq).toBe(1)
})

test('with a key the memory is sealed', async () => {
  const github = new Comments()
  const key = sessionKey('secret')
  await saveTurn(github, { ...request, key })
  expect(load(github).seq).toBe(0)
  expect(loadThread(github.thread(), { viewer, mode: 'thread', key }).seq).toBe(1)
})

test('a visible text that repeats a hidden block is posted as text, and the memory beside it is read', async () => {
  const github = new Comments()
  await saveTurn(github, { ...request, body: 'It says <!-- opencode:session:v1 {} x y -->' })
  expect(stripHidden(github.bodies.get(101) ?? '')).toBe('It says &lt;!-- opencode:session:v1 {} x y -->')
  expect(load(github)).toMatchObject({ seq: 1, warnings: [] })
})

test.each(['forbidden', 'missing'] as const)('a progress comment that can no longer be edited (%s) is replaced by a new comment (C139)', async (kind) => {
  const github = new Comments((call) => (call.startsWith('update 55') ? kind : undefined))
  github.bodies.set(55, 'Working on it.')
  const saved = await saveTurn(github, { ...request, comment: { id: 55 } })
  expect(saved).toMatchObject({ comment: { id: 101 }, notes: [expect.stringContaining('comment 55 could not be edited')] })
  const removal = kind === 'forbidden' ? ['delete 55'] : []
  expect(github.calls).toEqual(['update 55 with memory', ...removal, 'create 12', 'update 101 with memory'])
  expect(load(github)).toMatchObject({ seq: 1, warnings: [] })
})

test('when only the memory is refused the visible reply stands, and the note says what that means', async () => {
  const github = new Comments((call) => (call.endsWith('with memory') ? 'invalid' : undefined))
  github.bodies.set(55, 'Working on it.')
  const saved = await saveTurn(github, { ...request, comment: { id: 55 } })
  expect(github.bodies.get(55)).toBe('Fixed the parsing.\n\n> The next turn will not know of this one: its memory could not be written.')
  expect(saved).toMatchObject({ comment: { id: 55 }, notes: [expect.stringContaining('the next turn will not know of this one: GitHub said invalid.')] })
  const fresh = new Comments((call) => (call.endsWith('with memory') ? 'server' : undefined))
  expect(await saveTurn(fresh, request)).toMatchObject({ comment: { id: 101 }, notes: [expect.any(String)] })
  expect(fresh.calls).toEqual(['create 12', 'update 101 with memory'])
})

test('a reply that cannot be posted at all is an error', async () => {
  const github = new Comments(() => 'locked')
  await expect(saveTurn(github, request)).rejects.toThrow(GitHubError)
  await expect(saveTurn(github, { ...request, comment: { id: 55 } })).rejects.toThrow(GitHubError)
})

test('a fault of ours is not taken for a refusal', async () => {
  const github = new Comments(() => {
    throw new TypeError('bug')
  })
  await expect(saveTurn(github, { ...request, comment: { id: 55 } })).rejects.toThrow(TypeError)
})

test('a long turn is pruned to what the longest reply leaves, and the note says what was left out (C122)', async () => {
  const github = new Comments()
  const outputs = Array.from({ length: 20 }, (_, index) => tool(`prt_${index}`, 'msg_b', noise(5000, index + 1)))
  const long = turn(1, { messages: [user('msg_a', 'question'), assistant('msg_b', 'msg_a', 'answer', outputs)] })
  const saved = await saveTurn(github, { ...request, turn: long, body: 'é'.repeat(visibleBudget / 2) })
  expect(Buffer.byteLength(github.bodies.get(101) ?? '')).toBeLessThanOrEqual(limits.commentChars)
  expect(saved).toMatchObject({ continuations: 0, notes: [expect.stringMatching(/memory of turn 1 leaves out \d+ tool outputs\./)] })
  expect(load(github)).toMatchObject({ seq: 1, warnings: [] })
})

/** A question so long that pruning does not help. */
const essay = turn(1, { messages: [user('msg_a', noise(160_000))] })

test('what does not fit even when pruned goes on in further comments, each with a line for people', async () => {
  const github = new Comments()
  const saved = await saveTurn(github, { ...request, turn: essay })
  expect(github.calls).toEqual(['create 12', 'create 12', 'create 12', 'update 102 with memory', 'update 103 with memory', 'update 101 with memory'])
  expect(saved).toMatchObject({ comment: { id: 101 }, continuations: 2, notes: [] })
  for (const body of github.bodies.values()) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(limits.commentChars)
  expect(stripHidden(github.bodies.get(103) ?? '')).toContain('Part 3 of 3')
  expect(load(github)).toMatchObject({ seq: 1, messages: essay.messages, turns: [{ comment: 101 }], warnings: [] })
})

test('a progress comment keeps what it holds until everything else is written, and is edited once', async () => {
  const github = new Comments()
  await saveTurn(github, { ...request, turn: essay, comment: { id: 55 } })
  expect(github.calls).toEqual(['create 12', 'create 12', 'update 101 with memory', 'update 102 with memory', 'update 55 with memory'])
  expect(load(github)).toMatchObject({ seq: 1, turns: [{ comment: 55 }], warnings: [] })
})

test('when a further comment fails the progress comment becomes the reply without memory', async () => {
  const github = new Comments((call) => (call === 'update 102 with memory' ? 'server' : undefined))
  github.bodies.set(55, 'Working on it.')
  const saved = await saveTurn(github, { ...request, turn: essay, comment: { id: 55 } })
  expect(saved).toMatchObject({ comment: { id: 55 }, continuations: 0, notes: [expect.stringContaining('will not know of this one')] })
  expect([...github.bodies]).toEqual([[55, expect.stringMatching(/^Fixed the parsing\.\n\n> The next turn will not know of this one/)]])
})

test('a fresh reply takes the place of the working comment, which goes once the memory is in', async () => {
  const github = new Comments()
  github.bodies.set(55, 'Working on it.')
  expect(await saveTurn(github, { ...request, working: { id: 55 } })).toMatchObject({ comment: { id: 101 }, notes: [] })
  expect(github.calls).toEqual(['create 12', 'update 101 with memory', 'delete 55'])
  const stubborn = new Comments((call) => (call === 'delete 55' ? 'server' : undefined))
  expect((await saveTurn(stubborn, { ...request, working: { id: 55 } })).notes).toEqual(['Comment 55 is of no use now and could not be deleted.'])
  const gone = new Comments((call) => (call === 'delete 55' ? 'missing' : undefined))
  expect((await saveTurn(gone, { ...request, working: { id: 55 } })).notes).toEqual([])
})

test('a reply to a remark stands in its thread, bound to its own row of numbers; what does not fit goes on in the conversation', async () => {
  const github = new Comments()
  const remarks = new Comments()
  const voice = inRemarkThread(
    {
      replyToRemark: (_, thread, body) => remarks.createComment(thread, body),
      updateRemark: remarks.updateComment.bind(remarks),
      deleteRemark: remarks.deleteComment.bind(remarks),
    },
    12,
    7,
  )
  const saved = await saveTurn(github, { ...request, voice, working: { id: 55 }, turn: essay })
  expect(saved).toMatchObject({ comment: { id: 101 }, continuations: 2, notes: [] })
  expect(remarks.calls).toEqual(['create 7', 'update 101 with memory'])
  expect(github.calls.at(-1)).toBe('delete 55')
  const loaded = loadThread(github.thread(), { viewer, mode: 'thread', remarks: remarks.thread() })
  expect(loaded).toMatchObject({ seq: 1, messages: essay.messages, warnings: [], turns: [{ comment: 101, row: 'review-comment' }] })
})

test('when a further comment fails the reply stands without memory and nothing useless is left behind', async () => {
  const github = new Comments((call) => (call === 'update 103 with memory' ? 'server' : undefined))
  const saved = await saveTurn(github, { ...request, turn: essay })
  expect(saved).toMatchObject({ comment: { id: 101 }, continuations: 0, notes: [expect.stringContaining('will not know of this one')] })
  expect([...github.bodies]).toEqual([[101, 'Fixed the parsing.']])
})

test('a comment that could not be cleared away is named', async () => {
  const github = new Comments((call) => (call === 'update 103 with memory' || call === 'delete 102' ? 'server' : undefined))
  const saved = await saveTurn(github, { ...request, turn: essay })
  expect(saved.notes).toContain('Comment 102 is of no use now and could not be deleted.')
})

test('a turn longer than all the comments that are allowed is answered but not remembered, and says so', async () => {
  const github = new Comments()
  const saved = await saveTurn(github, { ...request, turn: turn(1, { messages: [user('msg_a', noise(1_100_000))] }) })
  expect(github.calls).toEqual(['create 12'])
  expect(saved).toMatchObject({ continuations: 0, notes: [expect.stringContaining('too long to be remembered')] })
})
