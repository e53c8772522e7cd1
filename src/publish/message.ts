import { limits } from '../limits.ts'

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
    .map((candidate) => candidate.replace(/^[\s#>*\-`"']+/, '').replace(/[\s`"'*]+$/, ''))
    .find((candidate) => /[\p{L}\p{N}]/u.test(candidate))
  if (!line) return ''
  const capital = line.charAt(0).toUpperCase() + line.slice(1)
  if (capital.length <= max) return capital
  const cut = capital.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')
  const space = cut.lastIndexOf(' ')
  return `${(space > max / 2 ? cut.slice(0, space) : cut).trimEnd()}…`
}
