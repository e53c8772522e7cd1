import type { Trigger } from '../event/trigger.ts'
import type { Comment, Discussion } from '../github/types.ts'
import { limits } from '../limits.ts'
import type { Session, Source, WithParts } from '../session/message.ts'
import { type Context, contextFor } from '../thread/context.ts'
import { carriesSession, isContinuation } from '../thread/hidden.ts'
import type { FoundTurn } from '../thread/load.ts'
import type { Change } from '../workspace/types.ts'
import type { Request } from './job.ts'

/** The words of the person, or of the workflow, that this run serves. */
export function requestOf({ verb }: Trigger): string {
  if (verb.type === 'prompt') return verb.text
  return verb.type === 'command' ? `/${verb.name} ${verb.arguments}`.trim() : ''
}

/** Where the request came from, for the stored message. */
export function sourceOf(trigger: Trigger): Source {
  if (trigger.event === 'issue_comment') return { kind: 'comment', id: trigger.comment.id, author: trigger.actor.login, url: trigger.comment.url }
  return { kind: trigger.event === 'issues' ? 'issue' : 'event', author: trigger.actor.login }
}

/**
 * What the model is told of the thread besides the request; without a thread there is nothing to tell. Replies of a session that this one does not
 * hold (sealed with another key, made at the same time) are told like anybody's comments, unless a new session is wished for.
 */
export function contextOf(
  { trigger, world, settings }: Request,
  discussion: Discussion | undefined,
  session: Session,
  turns: readonly FoundTurn[],
): Context | undefined {
  if (!discussion || !('subject' in trigger)) return undefined
  const held = new Set(turns.filter((turn) => turn.session === session.id).map(({ comment }) => comment))
  const isReply = ({ id, author, body }: Comment) =>
    author.login === discussion.viewer.login && carriesSession(body) && (held.has(id) || isContinuation(body) || settings.session === 'new')
  return contextFor(discussion, {
    subject: trigger.subject,
    ...(trigger.event === 'issue_comment' ? { trigger: { comment: trigger.comment.id, at: trigger.comment.createdAt } } : {}),
    seen: session.seen,
    isOwn: (comment) => isReply(comment) || session.handled.includes(comment.id),
    texts: world.texts,
    budget: limits.contextChars,
  })
}

/** The answer of a run: the last text the model wrote, or a list of what it changed when it wrote none (C63, C123). */
export function answerOf(message: WithParts, files: readonly Change[]): string {
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
    `- \`${word} continue\`: goes on with the work of this thread.`,
    `- \`${word} help\`: shows this.`,
    '`@name` in a request refers to a file, a folder or an agent.',
    'The whole thread is one session: a later comment goes on where the last one ended, on the same branch and pull request.',
  ].join('\n')
}
