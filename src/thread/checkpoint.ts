import { limits } from '../limits.ts'
import { type Claim, claimBlock, readClaim } from './claim.ts'
import { blockChars, encode, type SessionKey, type Turn } from './codec.ts'
import { neutralise, sessionData } from './hidden.ts'
import { prune } from './prune.ts'

export interface CheckpointRequest {
  /** The comment, of the conversation, that will hold it. */
  readonly comment: number
  /** What readers see. */
  readonly visible: string
  /** That the run is at work; with `ended`, that it is not any more and did not answer. */
  readonly claim?: Claim | undefined
  /** The messages so far, free of secrets; absent as long as there are none. */
  readonly turn?: Turn | undefined
  /** The number that the finished turn will have. */
  readonly seq: number
  readonly key?: SessionKey | undefined
}

export interface CheckpointBody {
  readonly body: string
  /** Whether the messages are in it. */
  readonly kept: boolean
  /** What was left out, in words: "12 tool outputs", "the edits". */
  readonly left: readonly string[]
}

/** Characters that a checkpoint leaves free for longer words: the clean-up of a killed run says what happened beside it. */
const reserve = 2_000

/**
 * The body of a comment that a run may die behind: its visible text, its claim, and the unfinished turn as far as one comment holds it; further
 * comments are for answers. Least valuable goes first, as for finished turns, then the patch of the edits; a turn whose words alone are
 * too long is left out whole. The claim always stays.
 */
export function checkpointBody({ comment, visible, claim, turn, seq, key }: CheckpointRequest): CheckpointBody {
  const front = [neutralise(visible).trimEnd(), ...(claim ? [claimBlock(claim)] : [])].join('\n\n')
  if (!turn) return { body: front, kept: false, left: [] }
  const room = limits.commentChars - reserve - Buffer.byteLength(front) - 1
  const { patch } = turn.work ?? {}
  const whole = patch === undefined || patch.length <= limits.checkpointPatchChars ? [{ turn, left: [] }] : []
  const light = patch === undefined ? [] : [{ turn: withoutPatch(turn), left: ['the edits'] }]
  for (const attempt of [...whole, ...light]) {
    const pruned = prune(attempt.turn, room, blockChars)
    if (!pruned.fits) continue
    const blocks = encode(pruned.turn, { seq, key, kind: 'checkpoint' }, [{ comment, chars: room }])
    return { body: `${front}\n${blocks.join('')}`, kept: true, left: [...pruned.left, ...attempt.left] }
  }
  return { body: front, kept: false, left: ['the conversation'] }
}

/**
 * The comment of a run that was killed, in other words for readers: its claim says that people were told, its checkpoint stays. Undefined for a
 * comment that claims nothing: it is an answer, or tells of the end already.
 */
export function closedBody(body: string, words: string): string | undefined {
  const claim = readClaim(body)
  if (!claim || claim.ended) return undefined
  const front = `${neutralise(words).trimEnd()}\n\n${claimBlock({ ...claim, ended: true })}`
  const whole = `${front}\n${sessionData(body)}`.trimEnd()
  return Buffer.byteLength(whole) <= limits.commentChars ? whole : front
}

function withoutPatch(turn: Turn): Turn {
  return turn.work ? { ...turn, work: { commit: turn.work.commit }, lossy: true } : turn
}
