import { limits } from '../limits.ts'
import { cut } from '../text.ts'

/** Characters of a commit's subject line, by git's own custom. */
const subjectChars = 72

/**
 * A commit message for a request: its first line is the subject, cut at a word (C46, C119); the trailers follow.
 * `fallback` serves when the request has no words of its own.
 */
export function commitMessage(request: string, fallback: string, trailers: readonly string[]): string {
  const subject = titleOf(request, subjectChars) || titleOf(fallback, subjectChars) || 'Changes by opencode'
  return trailers.length > 0 ? `${subject}\n\n${trailers.join('\n')}\n` : `${subject}\n`
}

/** The title of a pull request: that of the issue, or the request's first line. */
export function pullTitle(issueTitle: string | undefined, request: string): string {
  return titleOf(issueTitle ?? '', limits.titleChars) || titleOf(request, 100) || 'Changes by opencode'
}

/** The first line of a text that says something, without Markdown's marks, capitalised, cut at a word. */
export function titleOf(text: string, max: number): string {
  const line = text
    .split(/[\r\n\0]+/)
    .map(bare)
    .find((candidate) => /[\p{L}\p{N}]/u.test(candidate))
  if (!line) return ''
  const capital = line.charAt(0).toUpperCase() + line.slice(1)
  if (capital.length <= max) return capital
  const kept = cut(capital, max - 1)
  const space = kept.lastIndexOf(' ')
  return `${(space > max / 2 ? kept.slice(0, space) : kept).trimEnd()}…`
}

/** A line without Markdown's marks in front of it, and without quotes or emphasis that hold all of it. */
function bare(line: string): string {
  const text = line.replace(/^[\s#>*-]+(?=\s|$)|^[#>]+/, '').trim()
  const mark = /^(\*\*|["'`*_]).*\1$/s.exec(text)?.[1]
  return mark !== undefined && text.length > mark.length * 2 && !text.slice(mark.length, -mark.length).includes(mark)
    ? bare(text.slice(mark.length, -mark.length))
    : text
}
