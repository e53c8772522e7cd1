import type { ToolPart, ToolState } from './message.ts'

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

/** Tools whose output stays whatever is cleared: what a skill says holds for the whole session. */
const KEPT = new Set(['skill'])

/** Whether a call's output may be cleared to make room; what a provider carried out itself has to be sent back as it was. */
export function isClearable({ tool, state, metadata }: ToolPart): boolean {
  return state.status === 'completed' && state.time.compacted === undefined && !KEPT.has(tool) && metadata?.providerExecuted !== true
}

/** The call with its output marked as cleared, at epoch ms; the model reads a placeholder in its place. */
export function clearOutput(part: ToolPart, now: number): ToolPart {
  return part.state.status === 'completed' ? { ...part, state: { ...part.state, time: { ...part.state.time, compacted: now } } } : part
}
