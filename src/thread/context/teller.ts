import type { Author, Comment, Review } from '../../github/types.ts'
import { counted, cut } from '../../text.ts'
import { stripHidden } from '../hidden.ts'
import { inWords, type Removed, visible } from '../visible.ts'
import { attributes, clip, quoted } from './quote.ts'

/** What somebody may do in the repository, as far as it is known. */
export type Access = 'write' | 'read' | 'bot' | 'unknown'

/** The rows of numbers that the ids of what people write are from. */
export type Row = 'comment' | 'remark' | 'review'

/** A text of the thread that the model is told, as readers see it. */
export interface Told {
  readonly row: Row | 'subject'
  readonly id: number
  readonly author: string
  readonly at: string
  readonly text: string
}

/** A piece of the thread as it is told. */
export interface Piece {
  readonly text: string
  readonly told: readonly Told[]
  /** Notes for people that hold if it is told. */
  readonly removed: readonly Removed[]
}

/** Characters of a text that are read for each that may be shown: most of some bots' comments can't be seen. */
const readPerShown = 3

/** Tells texts of others: as readers see them, cut, unable to end the tags around them. */
export class Teller {
  readonly #access: ReadonlyMap<string, Access> | undefined
  readonly #self: string
  #unread: number

  /**
   * `most` are the characters that are read in all: reading takes time, and a thread may be made of nothing but what can't be seen. `self` is our own
   * login, whose hidden blocks are nobody's secret.
   */
  constructor(access: ReadonlyMap<string, Access> | undefined, most: number, self: string) {
    this.#access = access
    this.#self = self
    this.#unread = most
  }

  /** Whether anything more can be read. */
  get isDone(): boolean {
    return this.#unread <= 0
  }

  /** A text of at most `length` characters and a few words about what is missing. */
  show(source: string, length: number): { readonly text: string; readonly plain: string; readonly missing: number; readonly removed: Removed } {
    const read = cut(source, Math.max(2_000, length * readPerShown))
    this.#unread -= read.length
    const { text, removed } = visible(read)
    const plain = text.trim()
    const shown = clip(quoted(plain), length, source.length - read.length)
    return { ...shown, plain: cut(plain, length), removed }
  }

  /** What is known of a writer. */
  author(author: Author): { readonly author: string; readonly author_access: Access | undefined } {
    const known = author.isBot ? 'bot' : (this.#access?.get(author.login) ?? 'unknown')
    return { author: author.login, author_access: this.#access && known }
  }

  /** A comment in a tag of its own. */
  comment(comment: Comment, row: Row, longest: number): Piece {
    return this.tagged(`github_${row === 'review' ? 'review' : 'comment'}`, { ...this.author(comment.author), at: comment.createdAt }, comment, row, longest)
  }

  /** The body of a comment in a tag with these attributes. */
  tagged(
    tag: string,
    values: Readonly<Record<string, string | number | undefined>>,
    { id, author, createdAt, body }: Comment,
    row: Row,
    longest: number,
  ): Piece {
    const { text, plain, removed } = this.show(author.login === this.#self ? stripHidden(body) : body, longest)
    return {
      text: [`<${tag}${attributes(values)}>`, ...(text === '' ? [] : [text]), `</${tag}>`].join('\n'),
      told: [{ row, id, author: author.login, at: createdAt, text: plain }],
      removed: [removed],
    }
  }
}

/** A review in the form of a comment. */
export const spoken = ({ submittedAt, ...review }: Review): Comment => ({ ...review, createdAt: submittedAt })

/** What was left out of several texts, in a sentence for people; none when nothing was. */
export function unseenNote(where: string, removed: readonly Removed[]): string[] {
  const what = inWords(...removed)
  return what === '' ? [] : [`Text ${where} that readers of the page can't see was not shown to the model: ${what}.`]
}

/** A text that asks, as readers see it, with sentences for people about what was left out. */
export function visibleRequest(text: string): { readonly text: string; readonly notes: readonly string[] } {
  const shown = visible(text)
  return { text: shown.text.trim(), notes: unseenNote('in the request', [shown.removed]) }
}

/** What there was no room for, for the model. */
export const leftOut = (n: number, what: string): string[] => (n > 0 ? [`(${counted(n, what)} left out)`] : [])
