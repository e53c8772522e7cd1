import type { Trigger } from '../event/trigger.ts'
import type { Discussion } from '../github/types.ts'
import { limits } from '../limits.ts'
import type { Session, Source, WithParts } from '../session/message.ts'
import type { PromptPart } from '../session/user.ts'
import { type Context, contextFor } from '../thread/context.ts'
import { carriesSession } from '../thread/hidden.ts'
import type { Change } from '../workspace/types.ts'
import type { Job } from './job.ts'

/** The words of the person, or of the workflow, that this run serves. */
export function requestOf({ verb }: Trigger): string {
  return verb.type === 'prompt' ? verb.text : ''
}

/** Where the request came from, for the stored message. */
export function sourceOf(trigger: Trigger): Source {
  if (trigger.event === 'issue_comment') return { kind: 'comment', id: trigger.comment.id, author: trigger.actor.login, url: trigger.comment.url }
  return { kind: trigger.event === 'issues' ? 'issue' : 'event', author: trigger.actor.login }
}

/** What the model is told of the thread besides the request; without a thread there is nothing to tell. */
export function contextOf({ trigger, world }: Job, discussion: Discussion | undefined, session: Session): Context | undefined {
  if (!discussion || !('subject' in trigger)) return undefined
  return contextFor(discussion, {
    subject: trigger.subject,
    ...(trigger.event === 'issue_comment' ? { trigger: { comment: trigger.comment.id, at: trigger.comment.createdAt } } : {}),
    seen: session.seen,
    isOwn: (comment) => (comment.author.login === discussion.viewer.login && carriesSession(comment.body)) || session.handled.includes(comment.id),
    texts: world.texts,
    budget: limits.contextChars,
  })
}

/** The user message of this turn: the request in the person's words, and what is new in the thread. */
export function partsOf(trigger: Trigger, context: Context | undefined): PromptPart[] {
  const request: PromptPart = { type: 'text', text: requestOf(trigger) }
  return context?.text ? [request, { type: 'text', text: context.text, synthetic: true }] : [request]
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
    `- \`${word} continue\`: goes on with the work of this thread.`,
    `- \`${word} help\`: shows this.`,
    'The whole thread is one session: a later comment goes on where the last one ended, on the same branch and pull request.',
  ].join('\n')
}
