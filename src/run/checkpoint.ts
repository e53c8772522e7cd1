import { randomUUID } from 'node:crypto'
import type { Redactor } from '../report/redact.ts'
import { redactedJson } from '../report/redact.ts'
import { closeHalfMade } from '../session/half-made.ts'
import type { MessageError, WithParts } from '../session/message.ts'
import type { Store } from '../session/ports.ts'
import { type Clock, recorder } from '../session/record.ts'
import { memoryStore } from '../session/store.ts'
import type { Runner } from '../settings/types.ts'
import { type CheckpointBody, checkpointBody } from '../thread/checkpoint.ts'
import type { Claim } from '../thread/claim.ts'
import { type SessionKey, Turn } from '../thread/codec.ts'
import type { Checkpoint } from '../thread/load.ts'
import type { Before } from './account.ts'

/** The claim of a run that begins with a request. */
export function newClaim({ runId, attempt }: Pick<Runner, 'runId' | 'attempt'>, request: string): Claim {
  return { run: runId.replace(/\W/g, '').slice(0, 40) || '0', attempt, id: randomUUID(), request }
}

/** What a run has in hand that writes checkpoints. */
export interface Checkpointing {
  readonly claim: Claim
  /** The number that the finished turn will have. */
  readonly seq: number
  readonly key?: SessionKey | undefined
  readonly redactor: Redactor
  /** The session as finished turns left it, without what a checkpoint of an earlier run added: that has to be written again. */
  readonly before: Before
}

/** How far the run is. */
export interface Standing {
  /** Absent as long as there is no session yet. */
  readonly store?: Store | undefined
  /** Keys of the requests whose messages the loop was given. */
  readonly taken: readonly string[]
  /** Keys of all requests that this run will answer. */
  readonly promised: readonly string[]
  /** The edits so far. */
  readonly work?: Turn['work']
  /** The run does not answer any more; `visible` says why. */
  readonly ended?: boolean
}

/** Writes the bodies of one run's working comment: visible text, claim, and the messages so far without secrets (see `checkpointBody`). */
export function openCheckpoints({
  claim,
  seq,
  key,
  redactor,
  before,
}: Checkpointing): (comment: number, visible: string, standing: Standing) => CheckpointBody {
  const known = formsOf(before)
  return (comment, visible, { store, taken, promised, work, ended }) => {
    const messages = store ? changed(store, known) : []
    const turn = store && messages.length > 0 ? { ...unfinished(store, messages), taken: [...taken], ...(work && { work }) } : undefined
    return checkpointBody({
      comment,
      visible,
      claim: { ...claim, taken: [...promised], ...(ended && { ended: true as const }) },
      turn: turn && Turn.parse(JSON.parse(redactedJson(turn, redactor))),
      seq,
      key,
    })
  }
}

/** What a run added to the conversation, and what it changed of earlier messages: output that was cleared, a part that was reverted. */
export function changedMessages(store: Store, before: Before): readonly WithParts[] {
  return changed(store, formsOf(before))
}

const unfinished = ({ session, removed }: Store, messages: readonly WithParts[]) => ({
  session,
  messages: [...messages],
  removed: [...removed()],
  lossy: false,
})

const formsOf = ({ messages }: Before): ReadonlyMap<string, string> => new Map(messages.map((message) => [message.info.id, JSON.stringify(message)]))

const changed = (store: Store, known: ReadonlyMap<string, string>): readonly WithParts[] =>
  store.messages().filter((message) => known.get(message.info.id) !== JSON.stringify(message))

const cutOff: MessageError = { name: 'MessageAbortedError', message: 'The run ended in the middle of this answer.' }

/** The conversation to go on with after a run that died: its half-made answers are completed as cut off, and their calls marked so. */
export function resumedMessages({ session, messages }: Checkpoint, clock: Clock): readonly WithParts[] {
  const store = memoryStore(session, messages)
  closeHalfMade(0, cutOff, { record: recorder(store, () => undefined), clock })
  return store.messages()
}
