import { createHash } from 'node:crypto'
import type { Comment, Discussion, PullFacts } from '../github/types.ts'
import type { Session } from '../session/message.ts'
import { cut } from '../text.ts'
import { visible } from './visible.ts'

/** What decides how much of a thread a model is told. */
export interface ContextInput {
  /** Title and body as the event quoted them, which is what the requester saw (C141). */
  readonly subject?: { readonly title: string; readonly body: string } | undefined
  /** The comment that asks and the time the event was made; what was written or edited later is not read. */
  readonly trigger?: { readonly comment?: number | undefined; readonly at: string } | undefined
  /** What the session was told before; absent at its first turn. */
  readonly seen?: Session['seen']
  /** True for comments that say nothing new: the session's own replies, comments it took as requests, further parts of its memory. */
  readonly isOwn: (comment: Comment) => boolean
  /** Looks up a text of `prompts/`. */
  readonly texts: (name: string, values: Readonly<Record<string, string>>) => string
  /** Characters the text may have; at least 2,000. */
  readonly budget: number
}

export interface Context {
  /** For the model; empty when there is nothing new. */
  readonly text: string
  /** To be stored with the session, so that the next turn tells only what is new. */
  readonly seen: NonNullable<Session['seen']>
  /** Sentences for people about what was left out. */
  readonly notes: readonly string[]
}

/**
 * What the model is told about the thread it was called from: everything at the first turn, what is new at later ones. The newest
 * comments are kept when it gets too long, and what is missing is said (C25). Depends on nothing but its arguments, so that
 * repeating a turn gives the same bytes.
 */
export function contextFor(discussion: Discussion, input: ContextInput): Context {
  const { pull } = discussion
  const title = input.subject?.title ?? discussion.title
  const body = input.subject?.body ?? discussion.body
  const inTime = discussion.comments.filter((comment) => !isLater(comment, input.trigger))
  const seen = { comment: newest(inTime, input), subject: digest(title, body), ...(pull ? { head: pull.headSha } : {}) }
  const readable = inTime.filter((comment) => !comment.minimized && comment.id !== input.trigger?.comment && !input.isOwn(comment))
  const told = readable.filter((comment) => comment.id > (input.seen?.comment ?? 0))
  const late = discussion.comments.filter((comment) => isLater(comment, input.trigger) && !input.isOwn(comment)).length

  const sections: string[] = []
  const notes: string[] = []
  if (!input.seen) sections.push(...opening(discussion, title, body, input.budget, notes))
  else {
    if (input.seen.subject !== seen.subject) sections.push(...titleAndBody(title, body, input.budget, notes))
    if (pull && input.seen.head !== seen.head) sections.push(`The head of the pull request is now ${pull.headSha}.`)
  }
  const room = input.budget - sections.join('\n').length - 500
  sections.push(...conversation(told, room, input.budget / 4, notes))
  if (late > 0) notes.push(`${count(late, 'comment')} written or edited after the request ${late === 1 ? 'was' : 'were'} not shown to the model.`)
  if (sections.length === 0) return { text: '', seen, notes }
  const values = { kind: pull ? 'pull request' : 'issue', number: String(discussion.number) }
  return { text: [input.texts(input.seen ? 'github/update' : 'github/context', values), ...sections].join('\n'), seen, notes }
}

function isLater(comment: Comment, trigger: ContextInput['trigger']): boolean {
  if (!trigger || comment.id === trigger.comment) return false
  const at = Date.parse(trigger.at)
  const edited = comment.lastEditedAt !== null && Date.parse(comment.lastEditedAt) >= at
  return edited || Date.parse(comment.createdAt) > at || (trigger.comment !== undefined && comment.id > trigger.comment)
}

const newest = (comments: readonly Comment[], { seen, trigger }: ContextInput): number =>
  Math.max(seen?.comment ?? 0, trigger?.comment ?? 0, ...comments.map((comment) => comment.id))

function digest(title: string, body: string): string {
  return createHash('sha256')
    .update(JSON.stringify([title, body]))
    .digest('hex')
    .slice(0, 16)
}

function opening(discussion: Discussion, title: string, body: string, budget: number, notes: string[]): string[] {
  const { pull } = discussion
  const tag = pull ? 'github_pull_request' : 'github_issue'
  const facts = {
    number: discussion.number,
    author: discussion.author.login,
    created: discussion.createdAt,
    state: pull?.draft ? `${discussion.state.toLowerCase()}, draft` : discussion.state.toLowerCase(),
    ...(discussion.labels.length > 0 ? { labels: clip(discussion.labels.join(', '), 500).text } : {}),
    ...(pull ? pullFacts(pull) : {}),
  }
  return [`<${tag}${attributes(facts)}>`, ...titleAndBody(title, body, budget, notes), ...(pull ? files(pull, budget * 0.15) : []), `</${tag}>`]
}

function pullFacts(pull: PullFacts): Record<string, string | number> {
  const { baseRef, headRef, headSha, headRepository, additions, deletions, commits, changedFiles } = pull
  return {
    base: baseRef,
    head: headRef,
    head_commit: headSha,
    ...(pull.isFork ? { head_repository: headRepository ?? 'deleted' } : {}),
    commits,
    changed_files: changedFiles,
    additions,
    deletions,
  }
}

function titleAndBody(title: string, body: string, budget: number, notes: string[]): string[] {
  const shown = visible(body)
  const cut = clip(quoted(shown.text.trim()), budget * 0.4)
  if (shown.hidden) notes.push('Text in the description that readers of the page can not see was not shown to the model.')
  if (cut.missing > 0) notes.push(`The description was too long for the model: its last ${cut.missing.toLocaleString('en')} characters were left out.`)
  const heading = `<github_title>${clip(quoted(oneLine(visible(title).text)), 1000).text}</github_title>`
  return cut.text === '' ? [heading] : [heading, '<github_body>', cut.text, '</github_body>']
}

function files(pull: PullFacts, room: number): string[] {
  const lines: string[] = []
  let used = 0
  for (const file of pull.files) {
    const line = `- ${quoted(oneLine(file.path))} (${file.change.toLowerCase()}) +${file.additions} -${file.deletions}`
    used += line.length + 1
    if (used > room) break
    lines.push(line)
  }
  const more = pull.changedFiles - lines.length
  if (more > 0) lines.push(`(${count(more, 'more file')} not listed)`)
  return lines.length === 0 ? [] : ['<github_files>', ...lines, '</github_files>']
}

function conversation(comments: readonly Comment[], room: number, longest: number, notes: string[]): string[] {
  const shown: string[] = []
  let used = 0
  let hidden = 0
  for (const comment of comments.toReversed()) {
    const body = visible(comment.body)
    const head = attributes({ author: comment.author.login, at: comment.createdAt })
    const text = `<github_comment${head}>\n${clip(quoted(body.text.trim()), longest).text}\n</github_comment>`
    used += text.length + 1
    if (used > room) break
    if (body.hidden) hidden += 1
    shown.unshift(text)
  }
  const older = comments.length - shown.length
  if (older > 0) notes.push(`The thread is too long for the model: ${count(older, 'older comment')} ${older === 1 ? 'was' : 'were'} left out.`)
  if (hidden > 0) notes.push(`Text in ${count(hidden, 'comment')} that readers of the page can not see was not shown to the model.`)
  if (comments.length === 0) return []
  return ['<github_comments>', ...(older > 0 ? [`(${count(older, 'older comment')} left out)`] : []), ...shown, '</github_comments>']
}

/** Text of others can neither close our tags nor open new ones; everything else in it, code above all, stays as it is (C44). */
export const quoted = (text: string): string => text.replaceAll(/<(?=\s*\/?\s*(?:github_|system-reminder))/gi, '&lt;')

function attributes(values: Readonly<Record<string, string | number>>): string {
  const value = (raw: string | number): string => oneLine(String(raw)).replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return Object.entries(values)
    .map(([name, raw]) => ` ${name}="${value(raw)}"`)
    .join('')
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

/** The beginning of a text, said to be cut where it is, and never through the middle of a character (C75). */
function clip(text: string, length: number): { readonly text: string; readonly missing: number } {
  if (text.length <= length) return { text, missing: 0 }
  const rest = cut(text, length)
  const missing = text.length - rest.length
  return { text: `${rest}\n(${missing} more characters left out)`, missing }
}
