import type { MessageError } from './message.ts'
import type { Clock, Recorder } from './record.ts'
import { interrupted } from './tool-state.ts'

/**
 * Completes answers begun since a moment (epoch ms) that a run left half-made, as failed: their calls are marked as interrupted, so that the
 * next run finds a history in order (the engine's description 2.4).
 */
export function closeHalfMade(since: number, error: MessageError, { record, clock }: { readonly record: Recorder; readonly clock: Clock }): void {
  for (const { info, parts } of record.store.messages()) {
    if (info.role === 'user' || info.time.completed !== undefined || info.time.created < since) continue
    for (const part of parts) {
      const isOpen = part.type === 'tool' && (part.state.status === 'pending' || part.state.status === 'running')
      if (isOpen) record.part({ ...part, state: interrupted(part.state, clock.now()) })
    }
    record.message({ ...info, time: { ...info.time, completed: clock.now() }, error: info.error ?? error })
  }
}
