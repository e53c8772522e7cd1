import { counted } from '../../text.ts'
import { shares } from './shares.ts'
import { leftOut, type Piece, type Teller } from './teller.ts'

/** Pieces of one kind that want to be told. */
export interface Section {
  readonly tag: string
  /** What one of them is called. */
  readonly what: string
  /** Attributes of the tag. */
  readonly attributes?: string
  /** How much more it matters than others. */
  readonly weight: number
  /** Newest first, made when they are asked for. */
  readonly pieces: Iterable<Piece>
  /** How many there are. */
  readonly size: number
  /** Lines before them. */
  readonly lead?: readonly string[]
}

/** What stands around the pieces of one section, in characters. */
const frame = 250

interface Wish {
  readonly section: Section
  readonly pieces: readonly Piece[]
  readonly size: number
}

/**
 * Tells the newest of each kind, in room that is divided fairly among the kinds, and says what was left out, to the model and to people (C25). The
 * oldest comes first.
 */
export function tell(
  sections: readonly Section[],
  room: number,
  teller: Teller,
): { readonly lines: readonly string[]; readonly chosen: readonly Piece[]; readonly notes: readonly string[] } {
  const wishes = sections.filter(({ size, lead = [] }) => size + lead.length > 0).map((section) => wish(section, room, teller))
  const given = shares(
    room - wishes.length * frame,
    wishes.map(({ section, size }) => ({ size, weight: section.weight })),
  )
  const told = wishes.map(({ section, pieces }, index) => choose(section, pieces, given[index] ?? 0))
  return { lines: told.flatMap(({ lines }) => lines), chosen: told.flatMap(({ chosen }) => chosen), notes: told.flatMap(({ notes }) => notes) }
}

/** As many pieces as there could be room for; reading them takes time. */
function wish(section: Section, room: number, teller: Teller): Wish {
  const pieces: Piece[] = []
  let size = 0
  for (const piece of section.pieces) {
    pieces.push(piece)
    size += piece.text.length + 1
    if (size > room || teller.isDone) break
  }
  return { section, pieces, size }
}

function choose({ tag, what, attributes = '', size, lead = [] }: Section, pieces: readonly Piece[], room: number) {
  const chosen: Piece[] = []
  let used = 0
  for (const piece of pieces) {
    used += piece.text.length + 1
    if (used > room) break
    chosen.unshift(piece)
  }
  const missing = size - chosen.length
  const notes = missing > 0 ? [`The thread is too long for the model: ${counted(missing, `older ${what}`)} ${missing === 1 ? 'was' : 'were'} left out.`] : []
  const lines = [`<${tag}${attributes}>`, ...lead, ...leftOut(missing, `older ${what}`), ...chosen.map(({ text }) => text), `</${tag}>`]
  return { lines, chosen, notes }
}
