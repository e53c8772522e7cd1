/**
 * What of a Markdown text may be given to the parser. Its time grows with the square of some shapes (quotes and lists inside each other, unpaired
 * marks, declarations that never end), so that a comment of 64 kB, by anybody, could keep it busy for a minute.
 */
export interface Parseable {
  /** As long as the original at the most, with everything at the same offset: what stands in fences is blank, and the end may be missing. */
  readonly text: string
  /** False where the end is missing, because it would have been too much. */
  readonly whole: boolean
  /** What stands in fences that are sure to be some, as offsets: code, whatever it looks like. */
  readonly code: readonly { readonly from: number; readonly to: number }[]
}

/**
 * How much of each shape a text may hold, far more than people write. Measured, the worst text of 64 kB within these numbers takes the parser 0.6 s,
 * no longer than an ordinary text of one-word paragraphs.
 */
const most = {
  chars: 70_000,
  /** Quotes and lists that begin on one line, and all that begin anywhere. */
  nesting: 49,
  containers: 1_500,
  /** Quotes and lists that are open, summed over the lines: each of them costs on every line. */
  openLines: 6_000,
  brackets: 6_000,
  /** Runs of `*` and `_` that can begin or end emphasis. */
  marks: 3_000,
  /** `<!` and `<?`, each of which may be looked for an end to that is not there. */
  declarations: 200,
  /** Lines of dashes or equals signs, which make the line above a heading. */
  underlines: 300,
}

type Counts = Record<'containers' | 'openLines' | 'brackets' | 'marks' | 'declarations' | 'underlines', number>

const container = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/y
const mark = /\*+|(?<![\p{L}\p{N}_])_+|_+(?![\p{L}\p{N}_])/gu

/** The part of a text that the parser can read in a time that does not matter, and where its fenced code is. Takes time in proportion to its length. */
export function parseable(markdown: string): Parseable {
  const counts: Counts = { containers: 0, openLines: 0, brackets: 0, marks: 0, declarations: 0, underlines: 0 }
  const fences = new Fences()
  /** Columns of the quotes and lists that may be open. */
  let open: number[] = []
  let isAfterBlank = true
  let text = ''
  for (const { from, to, line, end } of linesOf(markdown)) {
    const isBlank = line.trim() === ''
    const place = fences.read(line, from, to, open.length === 0)
    if (place === 'fence') open = []
    if (place === 'text') {
      const found = containersOf(line)
      // Other lines may go on with what the lines above began, by their indentation or without a sign.
      const begin = found[0] ?? (isAfterBlank && !isBlank ? indentOf(line) : undefined)
      if (begin !== undefined) open = open.filter((column) => column < begin)
      open.push(...found)
      counts.containers += found.length
      counts.openLines += open.length
      count(line, counts)
      if (to > most.chars || found.length > most.nesting || isOver(counts)) return { text, whole: false, code: fences.code }
    }
    text += place === 'code' ? ' '.repeat(line.length) + end : line + end
    isAfterBlank = isBlank
  }
  return { text, whole: true, code: fences.code }
}

function* linesOf(text: string) {
  for (const match of text.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)) {
    const [, line = '', end = ''] = match
    if (line === '' && end === '') return
    yield { from: match.index, to: match.index + line.length, line, end }
  }
}

/** Columns of blanks before the text of a line; a tab goes to the next multiple of four. */
function indentOf(line: string): number {
  let column = 0
  for (const char of line) {
    if (char === '\t') column += 4 - (column % 4)
    else if (char === ' ') column += 1
    else break
  }
  return column
}

/** Where the quotes and lists of one line begin, as offsets into it: no more than their columns. */
function containersOf(line: string): number[] {
  const found: number[] = []
  container.lastIndex = 0
  while (container.test(line)) found.push(container.lastIndex - 1)
  return found
}

function count(line: string, counts: Counts): void {
  for (const char of line) if (char === '[' || char === ']') counts.brackets += 1
  counts.declarations += line.match(/<[!?]/g)?.length ?? 0
  counts.marks += line.match(mark)?.length ?? 0
  if (/^[ \t>]*(?:-+|=+)[ \t]*$/.test(line)) counts.underlines += 1
}

function isOver(counts: Counts): boolean {
  const { containers, openLines, brackets, marks, declarations, underlines } = most
  return (
    counts.containers > containers ||
    counts.openLines > openLines ||
    counts.brackets > brackets ||
    counts.marks > marks ||
    counts.declarations > declarations ||
    counts.underlines > underlines
  )
}

/** Raw HTML that goes on across blank lines until its own end (CommonMark 4.6, kinds 1 to 5). */
const rawHtml: readonly { readonly start: RegExp; readonly end: RegExp }[] = [
  { start: /^ {0,3}<(?:pre|script|style|textarea)(?=[\s>]|$)/i, end: /<\/(?:pre|script|style|textarea)>/i },
  { start: /^ {0,3}<!--/, end: /-->/ },
  { start: /^ {0,3}<\?/, end: /\?>/ },
  { start: /^ {0,3}<![a-z]/i, end: />/ },
  { start: /^ {0,3}<!\[CDATA\[/, end: /\]\]>/ },
]

/**
 * Finds the fences that are fences for certain. In the first column nothing but an open fence or raw HTML keeps the marks of one from being one, and
 * where no list or quote is open, neither does it in the next three. Others are left to the parser, and so is all that comes after one.
 * No text can make this see code where the parser sees none.
 */
class Fences {
  readonly code: { from: number; to: number }[] = []
  readonly #html = rawHtml.map(() => false)
  /** Raw HTML that goes on to the next blank line. */
  #isInTag = false
  #isLost = false
  #closing: RegExp | undefined

  /** What the next line is: code in a fence, the line that begins or ends one, or anything else. */
  read(line: string, from: number, to: number, isAtTop: boolean): 'code' | 'fence' | 'text' {
    if (this.#closing) {
      if (this.#closing.test(line)) this.#closing = undefined
      else this.code.push({ from, to })
      return this.#closing ? 'code' : 'fence'
    }
    const match = /^( {0,3})(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line)
    const marks = match?.[2] ?? match?.[3]
    if (marks && (this.#isInTag || this.#html.includes(true) || (match?.[1] !== '' && !isAtTop))) this.#isLost = true
    if (marks && !this.#isLost) {
      this.#closing = new RegExp(`^ {0,3}${marks.charAt(0)}{${marks.length},}[ \\t]*$`)
      return 'fence'
    }
    this.#readHtml(line)
    return 'text'
  }

  #readHtml(line: string): void {
    if (line.trim() === '') this.#isInTag = false
    else if (/^ {0,3}<[a-z/]/i.test(line)) this.#isInTag = true
    rawHtml.forEach(({ start, end }, kind) => {
      const begins = start.exec(line)
      if (begins) this.#html[kind] = true
      if (this.#html[kind] && end.test(line.slice(begins?.[0].length ?? 0))) this.#html[kind] = false
    })
  }
}
