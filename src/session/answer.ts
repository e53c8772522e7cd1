import { ascending } from './id.ts'
import { type Assistant, type MessageError, noTokens } from './message.ts'
import type { Clock, Recorder } from './record.ts'

/** An answer that nothing has come of yet, made at epoch ms. */
export function newAnswer(about: Pick<Assistant, 'parentID' | 'agent' | 'model'>, now: number): Assistant {
  return { role: 'assistant', id: ascending('msg', now), time: { created: now }, ...about, tokens: noTokens, cost: 0 }
}

/** Completes an answer as failed, and tells so. One that did not fit the context window has a finish, since asking for it again is no use. */
export function failAnswer(message: Assistant, error: MessageError, { record, clock }: { readonly record: Recorder; readonly clock: Clock }): void {
  const finish = error.name === 'ContextOverflowError' ? { finish: 'error' } : {}
  record.message({ ...message, ...finish, error, time: { ...message.time, completed: clock.now() } })
  record.error(error)
}
