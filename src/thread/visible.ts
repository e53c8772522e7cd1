import { parseable } from '../parseable.ts'
import { withoutInvisible } from './visible-characters.ts'
import { applied, type Edit, type Kind, kinds } from './visible-edit.ts'
import { markdownEdits } from './visible-markdown.ts'
import { plainEdits } from './visible-plain.ts'

export interface Visible {
  readonly text: string
  /** What was left out because a reader of the page can't see it; empty for most texts. */
  readonly removed: Removed
}

/** How much of what kind was left out. */
export type Removed = ReadonlyMap<Kind, number>

/** Rounds after which a text that shows something new each time is taken to be made for that. */
const rounds = 6

/** What something can be hidden behind: tags, references to characters, links, images and definitions, words behind a fence, tables. */
const suspicious = /<[!?/a-z]|&[#a-z]|!\[|\]:|\]\(|\]\[|[`~]{3}[ \t]{0,9}[\w+#.:-]{0,30}(?![\w+#.:\-`~]|[ \t]*$)|-[ \t]*\||\|[ \t]*:?-/im

/**
 * A Markdown text as people see it on the page, which is all that a model may take for their words: without HTML comments, hidden elements and
 * attributes, descriptions of images, titles of links, definitions, cells and footnotes that are not shown, and invisible characters (C142). Code stays
 * as it is, apart from invisible characters (C44). What comes to light when something is removed is looked at again, until nothing changes: the text of
 * the answer is its own answer. Never throws; takes time in proportion to the length, with a bounded share of the parser's.
 */
export function visible(markdown: string): Visible {
  const counts = new Map<Kind, number>()
  let text = markdown
  for (let round = 0; round < rounds; round += 1) {
    const next = once(text, counts)
    if (next === text) return { text, removed: counts }
    text = next
  }
  add(counts, 'unreadable mark', 1)
  return { text: withoutInvisible(text.replaceAll(/[<>&[\]|`~]/g, ' ')).text, removed: counts }
}

function once(source: string, counts: Map<Kind, number>): string {
  const { text: plain, removed } = withoutInvisible(source)
  add(counts, 'invisible character', removed)
  if (!suspicious.test(plain)) return plain
  const { text, done } = applied(plain, editsOf(plain))
  for (const edit of done) if (!edit.isSame) add(counts, edit.kind, 1)
  return text
}

function editsOf(source: string): readonly Edit[] {
  const { text, whole, code } = parseable(source)
  return whole ? markdownEdits(source, text) : plainEdits(source, code)
}

function add(counts: Map<Kind, number>, kind: Kind, count: number): void {
  if (count > 0) counts.set(kind, (counts.get(kind) ?? 0) + count)
}

/** What was left out of one or several texts, in words for people: `2 HTML comments, 1 link title`. */
export function inWords(...removed: readonly Removed[]): string {
  const sums = new Map<Kind, number>()
  for (const [kind, count] of removed.flatMap((each) => [...each])) add(sums, kind, count)
  return [...sums].map(([kind, count]) => `${count.toLocaleString('en')} ${count === 1 ? kind : kinds[kind]}`).join(', ')
}
