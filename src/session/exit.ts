import type { Assistant, Part, User, WithParts } from './message.ts'

/** Finish reasons that leave open whether the model is done; `other` is the AI SDK's word for OpenCode's `unknown`. */
const OPEN = new Set(['tool-calls', 'unknown', 'other'])

/** The newest user message and the newest answer of a history. */
export interface Latest {
  readonly user: User
  readonly assistant: (WithParts & { readonly info: Assistant }) | undefined
}

/** What the loop does next: end, ask the model, or deal with an answer that holds nothing. */
export type Move = 'done' | 'step' | 'empty'

/** Throws when the history holds no user message: there is nothing to answer, which is a fault of the caller. */
export function latest(history: readonly WithParts[]): Latest {
  const user = history.findLast(({ info }) => info.role === 'user')?.info
  if (user?.role !== 'user') throw new Error('a session without a user message cannot be continued')
  const found = history.findLast(({ info }) => info.role === 'assistant')
  return { user, assistant: found?.info.role === 'assistant' ? { info: found.info, parts: found.parts } : undefined }
}

/**
 * The exit test. The loop ends when the newest answer has a finish reason, that reason leaves nothing open, it holds no tool call whose
 * result the model has yet to see, and it answers the newest user message (compared by `parentID`, so that whatever arrives in
 * between is answered too). Two deviations for answers made in this run (DECISIONS 3, C50, C63): an open finish with text is an
 * answer, and one without text is `empty`, whatever the finish.
 */
export function nextMove({ user, assistant }: Latest, fresh: boolean): Move {
  if (assistant?.info.structured !== undefined && assistant.info.parentID === user.id) return 'done'
  if (!assistant?.info.finish || assistant.info.parentID !== user.id || hasLocalCalls(assistant.parts)) return 'step'
  if (hasText(assistant.parts)) return 'done'
  if (fresh) return 'empty'
  return OPEN.has(assistant.info.finish) ? 'step' : 'done'
}

/** Calls we have to answer; those of the provider and orphans of an interruption don't count. Some providers say `stop` in spite of them (C48). */
function hasLocalCalls(parts: readonly Part[]): boolean {
  return parts.some((part) => {
    if (part.type !== 'tool' || part.metadata?.providerExecuted === true) return false
    return !(part.state.status === 'error' && part.state.metadata?.interrupted === true)
  })
}

function hasText(parts: readonly Part[]): boolean {
  return parts.some((part) => part.type === 'text' && !part.ignored && part.text.trim() !== '')
}
