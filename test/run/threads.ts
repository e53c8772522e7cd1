import type { Comment, Discussion, PostedComment, Watch, WatchedComment } from '../../src/github/types.ts'

/** A thread on a GitHub of its own time, for tests of runs that meet in it. */

export const viewer = 'opencode[bot]'
const start = Date.parse('2026-01-01T00:00:00Z')

interface Entry {
  readonly kind: WatchedComment['kind']
  readonly id: number
  readonly login: string
  body: string
  readonly createdAt: string
  updatedAt: string
  minimized: boolean
}

export class Thread {
  readonly entries: Entry[] = []
  readonly #now: () => number
  #last = 100
  #version = 0

  /** `now` in ms since the test began. */
  constructor(now: () => number = () => 0) {
    this.#now = now
  }

  get time(): string {
    return new Date(start + Math.floor(this.#now() / 1000) * 1000).toISOString().replace('.000Z', 'Z')
  }

  /** Somebody comments; returns the comment's number. */
  say(login: string, body: string, { kind = 'comment', createdAt = this.time, updatedAt = createdAt }: Partial<Entry> = {}): number {
    this.#last++
    this.#version++
    this.entries.push({ kind, id: this.#last, login, body, createdAt, updatedAt, minimized: false })
    return this.#last
  }

  create(body: string): PostedComment {
    return posted(this.say(viewer, body))
  }

  update(id: number, body: string): PostedComment {
    const entry = this.entries.find((each) => each.id === id)
    if (!entry) throw new Error(`there is no comment ${id}`)
    this.#version++
    entry.body = body
    entry.updatedAt = this.time
    return posted(id)
  }

  remove(id: number): void {
    this.#version++
    const at = this.entries.findIndex((each) => each.id === id)
    if (at >= 0) this.entries.splice(at, 1)
  }

  body(id: number): string {
    return this.entries.find((each) => each.id === id)?.body ?? ''
  }

  watched(): WatchedComment[] {
    return this.entries.map(({ kind, id, login, body, createdAt, updatedAt }) => ({
      kind,
      id,
      author: authorOf(login),
      body,
      createdAt,
      updatedAt,
      url: urlOf(id),
    }))
  }

  comments(): Comment[] {
    return this.entries
      .filter(({ kind }) => kind === 'comment')
      .map(({ id, login, body, createdAt, updatedAt, minimized }) => {
        const lastEditedAt = updatedAt === createdAt ? null : updatedAt
        return { id, author: authorOf(login), body, createdAt, lastEditedAt, minimized, url: urlOf(id) }
      })
  }

  /** Looks as the gateway's watch does: undefined when nothing has changed since. */
  watch(): Watch {
    let seen = -1
    return {
      look: async () => {
        if (seen === this.#version) return undefined
        seen = this.#version
        return this.watched()
      },
    }
  }

  discussion(changes: Partial<Discussion> = {}): Discussion {
    return {
      viewer: { login: viewer, id: 1 },
      defaultBranch: 'main',
      number: 12,
      url: 'https://github.test/issues/12',
      title: 'Dates',
      body: 'They are wrong.',
      author: { login: 'rita', isBot: false },
      createdAt: '2025-12-01T00:00:00Z',
      state: 'OPEN',
      locked: false,
      labels: [],
      comments: this.comments(),
      ...changes,
    }
  }
}

const urlOf = (id: number) => `https://github.test/comment/${id}`
const posted = (id: number): PostedComment => ({ id, url: urlOf(id) })
export const authorOf = (login: string) => ({ login, isBot: login.endsWith('[bot]') })

/** A day, in ms. */
const mostTime = 86_400_000

/** Time that passes only when everybody waits, so that a race ends the same way every time. */
export class VirtualTime {
  now = 0
  readonly #events: { readonly at: number; readonly resolve: () => void }[] = []

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#events.push({ at: this.now + ms, resolve })
    })
  }

  /** Lets time pass until nobody waits any more. */
  async pass(): Promise<void> {
    for (;;) {
      await new Promise(setImmediate)
      const next = this.#events.reduce<number>((best, event, index) => (best < 0 || event.at < (this.#events[best]?.at ?? 0) ? index : best), -1)
      const [event] = next < 0 ? [] : this.#events.splice(next, 1)
      if (!event) return
      this.now = Math.max(this.now, event.at)
      if (this.now > mostTime) throw new Error('somebody waits for ever')
      event.resolve()
    }
  }
}
