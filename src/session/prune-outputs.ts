import type { WithParts } from './message.ts'
import { estimateTokens } from './overflow.ts'
import type { Clock, Recorder } from './record.ts'
import { clearOutput, isClearable } from './tool-state.ts'

/** Tokens of the newest tool output that is never cleared, and what clearing has to free to be worth it (the engine's description 2.12). */
const PROTECTED = 40_000
const WORTHWHILE = 20_000
/** Turns at the end whose output stays. */
const TURNS = 2

/**
 * Clears old tool output for good: the model reads a placeholder from then on. Looked at from the newest on, the last two turns and 40,000 tokens of
 * output stay, and so does that of `skill`; a summary, or an output cleared earlier, ends the search. Nothing happens for
 * less than 20,000 tokens.
 */
export function pruneOutputs({ record, clock }: { readonly record: Recorder; readonly clock: Clock }): void {
  const old = oldOutputs(record.store.messages())
  if (old.reduce((sum, { tokens }) => sum + tokens, 0) <= WORTHWHILE) return
  for (const { part } of old) record.part(clearOutput(part, clock.now()))
}

function oldOutputs(messages: readonly WithParts[]) {
  const old = []
  let turns = 0
  let total = 0
  for (const { info, parts } of messages.toReversed()) {
    if (info.role === 'user') turns++
    if (turns < TURNS) continue
    if (info.role === 'assistant' && info.summary) return old
    for (const part of parts.toReversed()) {
      if (part.type !== 'tool' || part.state.status !== 'completed') continue
      if (part.state.time.compacted !== undefined) return old
      if (!isClearable(part)) continue
      const tokens = estimateTokens(part.state.output)
      total += tokens
      if (total > PROTECTED) old.push({ part, tokens })
    }
  }
  return old
}
