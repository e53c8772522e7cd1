import type { ToolState } from './message.ts'

/** The state of a call that was cut off, marked as such; keeps what it had shown. Times in epoch ms. */
export function interrupted(state: ToolState, now: number): ToolState {
  const metadata = state.status === 'running' || state.status === 'error' ? state.metadata : undefined
  const start = state.status === 'running' ? state.time.start : now
  return {
    status: 'error',
    input: state.input,
    error: 'The tool call was stopped before it ended',
    metadata: { ...metadata, interrupted: true },
    time: { start, end: now },
  }
}
