import type { Answer, Call, Conversation, Script } from './model.ts'

/** Scripts as rows of steps, each of which is taken once its predecessors have their results. */

export interface Step {
  readonly text?: string
  readonly calls: readonly Call[]
  /** What has to come about before the model answers, as if it had thought that long. */
  readonly after?: () => Promise<unknown>
}

export const call = (id: string, name: string, args: Record<string, unknown>): Call => ({ id, name, arguments: args })

/** The first step whose results are not in the conversation yet, then the answer. */
export async function take(steps: readonly Step[], answer: (conversation: Conversation) => string, conversation: Conversation): Promise<Answer> {
  const next = steps.find((step) => step.calls.some(({ id }) => conversation.result(id) === undefined))
  if (next === undefined || !conversation.mayCall) return { text: answer(conversation) }
  await next.after?.()
  const { text, calls } = next
  return text === undefined ? { calls } : { text, calls }
}

/** A script of one row of steps. */
export const follow =
  (steps: readonly Step[], answer: (conversation: Conversation) => string): Script =>
  (conversation) =>
    take(steps, answer, conversation)
