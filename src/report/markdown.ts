import { excerpt } from '../text.ts'

const fenceMark = /^ {0,3}(`{3,}|~{3,})/

/**
 * Cuts Markdown to `max` characters at the end of a line (of a word where there is one long line), closes a code fence that is left open
 * and adds `note` as a paragraph of its own (C122). Text that fits is returned as it is.
 */
export function cutMarkdown(text: string, max: number, note: string): string {
  if (size(text) <= max) return text
  const room = Math.max(0, max - size(note) - 12)
  let kept = prefix(text, room)
  const line = kept.lastIndexOf('\n')
  const word = kept.lastIndexOf(' ')
  if (line > kept.length / 2) kept = kept.slice(0, line)
  else if (word > kept.length / 2) kept = kept.slice(0, word)
  return `${selfContained(kept.trimEnd())}\n\n${note}`
}

/** Closes a code fence and disarms a comment that a text leaves open, so that what follows it is not swallowed. */
export function selfContained(text: string): string {
  const fence = openFence(text)
  if (fence) return `${text}\n${fence}`
  const opened = text.lastIndexOf('<!--')
  return opened >= 0 && !text.includes('-->', opened) ? `${text.slice(0, opened)}&lt;!--${text.slice(opened + 4)}` : text
}

/** Length as GitHub may count it: the worse of characters and UTF-8 bytes is taken as the safe measure. */
export function size(text: string): number {
  return Math.max(text.length, Buffer.byteLength(text))
}

/** The longest beginning of a text whose size is at most `max`, never ending inside a character. */
function prefix(text: string, max: number): string {
  if (size(text) <= max) return text
  return new TextDecoder().decode(Buffer.from(text).subarray(0, max)).replace(/\uFFFD+$/, '')
}

function openFence(text: string): string | undefined {
  let open: string | undefined
  for (const line of text.split('\n')) {
    const mark = fenceMark.exec(line)?.[1]
    if (!mark) continue
    if (!open) open = mark
    else if (mark.startsWith(open) && line.trim() === mark) open = undefined
  }
  return open
}

/** A fenced code block whose fence is longer than any run of backticks inside. */
export function fenced(language: string, text: string): string {
  let longest = 2
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

/** One line of somebody else's text as a code span of at most `max` characters, in which nothing is markup, a mention or a link. Empty when there is none. */
export function codeSpan(text: string, max: number): string {
  const line = oneLine(text, max)
  if (line === '') return ''
  let longest = 0
  for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const mark = '`'.repeat(longest + 1)
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${mark}${space}${line}${space}${mark}`
}

/** One line of somebody else's text as words: no markup, no link, and neither a person nor an issue is called by it (C136). */
export function plainWords(text: string, max: number): string {
  return oneLine(text, max)
    .replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')
    .replaceAll(/\\([@#])/g, '$1&#8203;')
    .replaceAll(/\b(GH)\\-(?=\d)/gi, '$1-&#8203;')
}

/** A table cell of Markdown that was made by us. */
export function tableCell(markdown: string): string {
  return markdown.replaceAll(/[\r\n]+/g, ' ').replaceAll('|', '\\|')
}

function oneLine(text: string, max: number): string {
  return excerpt(text.replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(), max)
}
