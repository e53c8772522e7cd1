import type { Edit } from './visible-edit.ts'

/** GitHub's own additions to Markdown that can hide text; the parser knows only CommonMark, to which they are parts of a paragraph. */

const delimiters = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

/** Cells of a table beyond the columns that its head has: GitHub leaves them out. `from` is where the paragraph begins. */
export function cellEdits(paragraph: string, from: number): Edit[] {
  if (!paragraph.includes('|')) return []
  const lines = [...paragraph.matchAll(/([^\r\n]*)(?:\r\n|\r|\n|$)/g)].map((match) => ({ text: match[1] ?? '', at: match.index }))
  const row = lines.findIndex(({ text }, index) => index > 0 && text.includes('|') && delimiters.test(text))
  const columns = cellsOf(lines[row]?.text ?? '').length
  if (row < 0 || cellsOf(lines[row - 1]?.text ?? '').length !== columns) return []
  return lines.slice(row + 1).flatMap(({ text, at }): Edit[] => {
    const first = cellsOf(text)[columns]
    if (first === undefined) return []
    return [{ from: from + at + first, to: from + at + text.length, text: text.trimEnd().endsWith('|') ? '|' : '', kind: 'table cell too many' }]
  })
}

/** Where the cells of a row begin, each with the sign before it. */
function cellsOf(line: string): number[] {
  const bare = line.trimEnd()
  const begins = /^[ \t>]*\|?/.exec(bare)?.[0].length ?? 0
  const signs = [...bare.matchAll(/(?<!\\)\|/g)].map(({ index }) => index).filter((index) => index >= begins && index < bare.length - 1)
  return bare.length === begins ? [] : [begins, ...signs]
}

/** Footnotes in a paragraph that nothing refers to: GitHub leaves them out, with what is indented below them. */
export function footnoteEdits(source: string, from: number, to: number, used: ReadonlySet<string>): Edit[] {
  const paragraph = source.slice(from, to)
  if (!paragraph.includes('[^')) return []
  const starts = [...paragraph.matchAll(/(?:^|(?<=[\r\n]))[ \t>]*\[\^([^\]\s]+)\]:/g)]
  return starts.flatMap((match, index): Edit[] => {
    if (used.has((match[1] ?? '').toLowerCase())) return []
    const next = starts[index + 1]?.index
    const end = next === undefined ? to + indentedBelow(source.slice(to)) : from + next
    return [{ from: from + match.index, to: end, text: '', kind: 'unused footnote' }]
  })
}

/** Characters of the lines that belong to a footnote above: those indented by four, with blank ones between them. */
function indentedBelow(rest: string): number {
  let end = 0
  for (const match of rest.matchAll(/(?:\r\n|\r|\n)([^\r\n]*)/g)) {
    const line = match[1] ?? ''
    if (/^(?: {4}|\t)[ \t]*\S/.test(line)) end = match.index + match[0].length
    else if (line.trim() !== '') break
  }
  return end
}
