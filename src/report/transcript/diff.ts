import type { ToolPart } from '../../session/message.ts'
import { escapeHtml } from './html.ts'

/** What an edit did to one file, as lines that begin with `+`, `-` or a blank; `@` leads a heading. */
export type DiffLines = readonly string[]

/** Lines around a change that are shown. */
const CONTEXT = 3

/** What a call changed or was to change, by its own input; undefined when it is no edit. */
export function diffOf({ state }: ToolPart): DiffLines | undefined {
  const { patchText, oldString, newString, content, filePath } = state.input
  if (typeof patchText === 'string') return patchText.split('\n').map((line) => (/^[-+ @]/.test(line) ? line : `@ ${line}`))
  if (typeof oldString === 'string' && typeof newString === 'string') return between(oldString, newString)
  if (typeof content === 'string' && typeof filePath === 'string') return linesOf(content).map((line) => `+${line}`)
  return undefined
}

/** A unified diff inside the output of a program, such as that of `git diff`. */
export function isDiff(text: string): boolean {
  return /^(?:diff --git |--- .*\n\+\+\+ )/m.test(text) && /^@@ /m.test(text)
}

/** Old and new text with what they share at both ends left out, but for a few lines. */
function between(before: string, after: string): DiffLines {
  const old = linesOf(before)
  const next = linesOf(after)
  let top = 0
  while (top < old.length && top < next.length && old[top] === next[top]) top++
  let bottom = 0
  while (bottom < old.length - top && bottom < next.length - top && old[old.length - 1 - bottom] === next[next.length - 1 - bottom]) bottom++
  return [
    ...old.slice(Math.max(0, top - CONTEXT), top).map((line) => ` ${line}`),
    ...old.slice(top, old.length - bottom).map((line) => `-${line}`),
    ...next.slice(top, next.length - bottom).map((line) => `+${line}`),
    ...old.slice(old.length - bottom, old.length - bottom + CONTEXT).map((line) => ` ${line}`),
  ]
}

function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

/** The lines as HTML, added and removed ones marked for eye and ear. */
export function diffHtml(lines: DiffLines): string {
  const html = lines.map((line) => {
    const text = escapeHtml(line)
    if (line.startsWith('+')) return `<ins>${text}</ins>`
    if (line.startsWith('-')) return `<del>${text}</del>`
    return line.startsWith('@') ? `<span class="hunk">${text}</span>` : text
  })
  return `<pre class="diff">${html.join('\n')}</pre>`
}
