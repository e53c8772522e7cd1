import { askingOf } from '../event/asking.ts'
import type { Trigger } from '../event/trigger.ts'
import type { Comment, Discussion } from '../github/types.ts'
import { limits } from '../limits.ts'
import { fenced } from '../report/markdown.ts'
import type { Session, Source, WithParts } from '../session/message.ts'
import { type Access, type Context, type ContextInput, contextFor } from '../thread/context.ts'
import { carriesSession, isContinuation } from '../thread/hidden.ts'
import { answeredKeys } from '../thread/keys.ts'
import type { LoadedThread } from '../thread/load.ts'
import type { Change } from '../workspace/types.ts'
import type { Request } from './job.ts'

/** The words of the person, or of the workflow, that this run serves. */
export function requestOf({ verb }: Trigger): string {
  if (verb.type === 'prompt') return verb.text
  return verb.type === 'command' ? `/${verb.name} ${verb.arguments}`.trim() : ''
}

/** Where the request came from, for the stored message. */
export function sourceOf(trigger: Trigger): Source {
  const asking = askingOf(trigger)?.asking
  if (asking) return { kind: 'comment', id: asking.id, author: trigger.actor.login, url: asking.url }
  return { kind: 'subject' in trigger ? 'issue' : 'event', author: trigger.actor.login }
}

/**
 * What the model is told of the thread besides the request; without a thread there is nothing to tell. Replies of a session that this one does not
 * hold (sealed with another key, made at the same time) are told like anybody's comments, unless a new session is wished for.
 */
export function contextOf(
  { trigger, world, settings }: Request,
  discussion: Discussion | undefined,
  session: Session,
  { turns, checkpoint }: Pick<LoadedThread, 'turns' | 'checkpoint'>,
  { access, served }: { readonly access: ReadonlyMap<string, Access>; readonly served: readonly string[] },
): Context | undefined {
  if (!discussion) return undefined
  const held = new Set(turns.filter((turn) => turn.session === session.id).map(({ row, comment }) => `${row ?? 'comment'}:${comment}`))
  // Its messages and edits are there again.
  if (checkpoint) held.add(`comment:${checkpoint.comment}`)
  const answered = new Set([...answeredKeys(session), ...served])
  const isReply = ({ author, body }: Comment, key: string) =>
    author.login === discussion.viewer.login && carriesSession(body) && (held.has(key) || isContinuation(body) || settings.session === 'new')
  const isOwn = (comment: Comment, row: keyof typeof rows) => {
    const key = `${rows[row]}:${comment.id}`
    return isReply(comment, key) || answered.has(key)
  }
  const quotes = 'subject' in trigger && trigger.subject.number === discussion.number ? { subject: trigger.subject } : {}
  return contextFor(discussion, { ...quotes, ...askedOf(trigger), access, seen: session.seen, isOwn, texts: world.texts, budget: limits.contextChars })
}

/** The rows of numbers of a thread, as keys of requests name them. */
const rows = { comment: 'comment', remark: 'review-comment', review: 'review' } as const

function askedOf(trigger: Trigger): Pick<ContextInput, 'trigger' | 'place'> {
  switch (trigger.event) {
    case 'issue_comment':
      return { trigger: { comment: trigger.comment.id, at: trigger.comment.createdAt } }
    case 'pull_request_review_comment':
      return { trigger: { remark: trigger.comment.id, at: trigger.comment.createdAt }, place: trigger.spot }
    case 'pull_request_review':
      return { trigger: { review: trigger.review.id, at: trigger.review.createdAt } }
    case 'issues':
    case 'pull_request':
    case 'pull_request_target':
      return trigger.action === 'opened' && trigger.subject.createdAt !== undefined ? { trigger: { at: trigger.subject.createdAt } } : {}
    default:
      return {}
  }
}

/** The answer of a run: the last text the model wrote, or a list of what it changed when it wrote none (C63, C123). */
export function answerOf(message: WithParts, files: readonly Change[]): string {
  if (message.info.role === 'assistant' && message.info.structured !== undefined) return fenced('json', JSON.stringify(message.info.structured, null, 2))
  const text = message.parts.findLast((part) => part.type === 'text' && !part.synthetic && part.text.trim() !== '')
  if (text?.type === 'text') return text.text.trim()
  if (files.length === 0) return 'The model had nothing to say, and no file was changed.'
  return `The model left no words about its work. It changed:\n\n${files.map((file) => `- \`${file.path}\` (${file.status})`).join('\n')}`
}

/** What `/opencode help` answers. */
export function helpText(triggers: readonly string[]): string {
  const word = triggers[0] ?? '/opencode'
  return [
    `Write \`${word}\` and what you want, anywhere in a comment:`,
    `- \`${word} fix the date parsing\`: edits the code, runs the tests, commits, and opens or updates the pull request.`,
    `- \`${word} why does the build fail?\`: answers.`,
    `- \`${word} /review\`, or another command of the repository's \`.opencode/command/\`.`,
    `- \`${word} !npm test\`: runs a shell command and shows what it prints.`,
    `- \`${word} continue\`: goes on with the work of this thread.`,
    `- \`${word} cancel\`: stops the run that is at work here.`,
    `- \`${word} undo\`: takes the last turn back, its edits too.`,
    `- \`${word} help\`: shows this.`,
    '`@name` in a request refers to a file, a folder or an agent.',
    'The whole thread is one session: a later comment goes on where the last one ended, on the same branch and pull request.',
  ].join('\n')
}
