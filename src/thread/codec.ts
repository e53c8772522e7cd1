import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject, randomBytes, scryptSync } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { z } from 'zod'
import { parseJson } from '../json.ts'
import { limits } from '../limits.ts'
import { Session, WithParts } from '../session/message.ts'
import { closing, opening } from './hidden.ts'

/** One turn of the conversation as a comment carries it: the session's record and the messages of this turn. */
export const Turn = z.object({
  session: Session,
  messages: z.array(WithParts),
  /** Ids of earlier messages that the thread should forget from here on (an undo). */
  removed: z.array(z.string()).optional(),
  /** In a checkpoint: keys of the requests that its messages hold. None of them is answered yet. */
  taken: z.array(z.string()).optional(),
  /**
   * Edits that are not on the remote, as a git patch on a commit: in a checkpoint those since the run began, in a finished turn those that could not be
   * pushed. Without the patch where it was too large to keep.
   */
  work: z.object({ commit: z.string(), patch: z.string().optional() }).optional(),
  /** Whether something was left out to fit. */
  lossy: z.boolean(),
})
export type Turn = z.infer<typeof Turn>

const Header = z.object({
  session: z.string().regex(/^ses_[0-9A-Za-z]{1,60}$/),
  seq: z.int().min(1),
  part: z.int().min(1),
  parts: z.int().min(1).max(limits.threadParts),
  comment: z.int().min(1),
  /** The row of numbers that `comment` is from, where it is not that of the conversation's comments: remarks on a diff have their own. */
  row: z.literal('review-comment').optional(),
  enc: z.enum(['br', 'br+gcm']),
  kind: z.literal('checkpoint').optional(),
  /** Digest of the joined payload, where it is spread over several comments: parts of two writes never mix. */
  whole: z.string().optional(),
})
export type Header = z.infer<typeof Header>

/** The key of a sealed thread. */
export type SessionKey = KeyObject

/** One comment's share of a turn, its seal or checksum verified. */
export interface Slice {
  readonly kind: 'slice'
  readonly header: Header
  readonly bytes: Buffer
}

/** Session data that is not accepted. `message` completes the sentence "The session data of comment 1 …". */
export interface Refused {
  readonly kind: 'refused'
  readonly reason: 'malformed' | 'damaged' | 'unsealed' | 'key-missing' | 'key-wrong' | 'incomplete' | 'too-big' | 'invalid'
  readonly message: string
}

export interface Decoded {
  readonly kind: 'turn'
  readonly header: Header
  readonly turn: Turn
}

/** A comment that takes a share of a turn, and the characters its block may have. */
export interface Target {
  readonly comment: number
  readonly row?: Header['row']
  readonly chars: number
}

export interface Writing {
  readonly seq: number
  readonly key?: SessionKey | undefined
  readonly kind?: 'checkpoint' | undefined
}

/** Brotli at 11 gains another 7 % and costs twenty times as long, which every checkpoint would pay. */
const quality = 9
/** A block without its payload, at the longest: opening, header, authentication code, closing. */
const overhead = 300
const nonceBytes = 12
const tagBytes = 16

/** Makes the key of a sealed thread from the input `session-key`; takes some 50 ms, so once a run. */
export function sessionKey(text: string): SessionKey {
  return createSecretKey(scryptSync(text.normalize('NFC'), 'opencode:session:v1', 32))
}

/** Compresses a turn; undefined when it is too big to be read back. */
function pack(turn: Turn): Buffer | undefined {
  const json = Buffer.from(JSON.stringify(turn))
  if (json.length > limits.turnBytes) return undefined
  return brotliCompressSync(json, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: json.length,
    },
  })
}

/** Characters of the one block that would hold this turn, at the most; infinite for a turn that is too big to be read back. */
export function blockChars(turn: Turn): number {
  const packed = pack(turn)
  return packed ? overhead + Math.ceil(((packed.length + nonceBytes) * 4) / 3) : Number.POSITIVE_INFINITY
}

/**
 * How many comments a turn needs when the first has room for `first` characters of hidden data and every other for `rest`;
 * infinite for a turn that is too big to be read back.
 */
export function commentsNeeded(turn: Turn, first: number, rest: number): number {
  const packed = pack(turn)
  return packed ? 1 + Math.ceil(Math.max(0, packed.length - bytesIn(first)) / bytesIn(rest)) : Number.POSITIVE_INFINITY
}

/** Bytes of compressed data that a block of at most `chars` characters holds. */
function bytesIn(chars: number): number {
  return Math.max(0, Math.floor(((chars - overhead) * 3) / 4) - nonceBytes)
}

/**
 * Writes a turn as hidden blocks, one for each comment that is needed, the targets being filled in order.
 * Throws `RangeError` when the targets together are too small, or more of them are needed than a turn may have (see `commentsNeeded`).
 */
export function encode(turn: Turn, { seq, key, kind }: Writing, targets: readonly Target[]): string[] {
  const packed = pack(turn)
  if (!packed) throw new RangeError(`a turn may have ${limits.turnBytes} bytes`)
  const shares: { place: Pick<Header, 'comment' | 'row'>; bytes: Buffer }[] = []
  let at = 0
  for (const { comment, row, chars } of targets) {
    const end = Math.min(packed.length, at + bytesIn(chars))
    shares.push({ place: { comment, ...(row && { row }) }, bytes: packed.subarray(at, end) })
    at = end
    if (at === packed.length) break
  }
  if (at < packed.length) throw new RangeError(`a turn of ${packed.length} compressed bytes does not fit ${targets.length} comments`)
  if (shares.length > limits.threadParts) throw new RangeError(`a turn may be spread over ${limits.threadParts} comments, not ${shares.length}`)
  const enc = key ? ('br+gcm' as const) : ('br' as const)
  return shares.map(({ place, bytes }, index) => {
    const header: Header = {
      session: turn.session.id,
      seq,
      part: index + 1,
      parts: shares.length,
      ...place,
      enc,
      ...(kind && { kind }),
      ...(shares.length > 1 && { whole: digest(packed, 9) }),
    }
    // Parsed again on the way out, because the form of the session id is what keeps the header from ending the comment.
    return block(JSON.stringify(Header.parse(header)), bytes, key)
  })
}

function block(header: string, bytes: Buffer, key: SessionKey | undefined): string {
  if (!key) {
    const payload = bytes.toString('base64url')
    return `${opening}${header} ${payload} ${checksum(header, payload)}${closing}`
  }
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(opening + header))
  const sealed = Buffer.concat([nonce, cipher.update(bytes), cipher.final()])
  return `${opening}${header} ${sealed.toString('base64url')} ${cipher.getAuthTag().toString('base64url')}${closing}`
}

/**
 * The last block of a comment's body, its checksum or seal verified; undefined when there is none.
 * With a key only sealed blocks are accepted: whoever can write as the bot could otherwise add unsealed ones.
 */
export function readBlock(body: string, key?: SessionKey): Slice | Refused | undefined {
  const at = body.lastIndexOf(opening)
  if (at < 0) return undefined
  const end = body.indexOf(closing, at)
  if (end < 0) return refuse('malformed', 'has no end')
  const words = body.slice(at + opening.length, end).split(' ')
  const [raw, payload, mac] = words
  if (words.length !== 3 || raw === undefined || payload === undefined || mac === undefined) return refuse('malformed', 'is not in the form this version reads')
  const parsed = Header.safeParse(parseJson(raw))
  if (!parsed.success || parsed.data.part > parsed.data.parts) return refuse('malformed', 'has a header that this version cannot read')
  const header = parsed.data
  const bytes = bytesOf(payload)
  if (!bytes) return refuse('damaged', 'has been changed since it was written')
  if (header.enc === 'br') {
    if (mac !== checksum(raw, payload)) return refuse('damaged', 'has been changed since it was written')
    if (key) return refuse('unsealed', 'is not sealed, while this run has a `session-key`')
    return { kind: 'slice', header, bytes }
  }
  if (!key) return refuse('key-missing', 'was sealed with a `session-key` that this run does not have')
  const tag = bytesOf(mac)
  const open = tag && unseal(raw, bytes, tag, key)
  return open ? { kind: 'slice', header, bytes: open } : refuse('key-wrong', 'was sealed with another `session-key`, or has been changed since it was written')
}

function unseal(header: string, sealed: Buffer, tag: Buffer, key: SessionKey): Buffer | undefined {
  if (tag.length !== tagBytes || sealed.length < nonceBytes) return undefined
  try {
    const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
    cipher.setAAD(Buffer.from(opening + header)).setAuthTag(tag)
    return Buffer.concat([cipher.update(sealed.subarray(nonceBytes)), cipher.final()])
  } catch {
    return undefined
  }
}

/** Joins the shares of one turn, given in any order, and reads it. Never throws. */
export function decode(slices: readonly Slice[]): Decoded | Refused {
  const ordered = slices.toSorted((a, b) => a.header.part - b.header.part)
  const header = ordered[0]?.header
  if (!header || ordered.length !== header.parts || !ordered.every((slice, index) => slice.header.part === index + 1 && sameWrite(slice.header, header)))
    return refuse('incomplete', 'is spread over several comments, and not all of them are there')
  const packed = Buffer.concat(ordered.map((slice) => slice.bytes))
  if (header.parts > 1 && digest(packed, 9) !== header.whole) return refuse('damaged', 'does not fit together')
  const json = unpack(packed)
  if (typeof json !== 'string') return json
  const turn = Turn.safeParse(parseJson(json))
  if (!turn.success) return refuse('invalid', 'is not a conversation that this version can read')
  if (turn.data.session.id !== header.session) return refuse('invalid', 'belongs to another session than it says')
  return { kind: 'turn', header, turn: turn.data }
}

function unpack(packed: Buffer): string | Refused {
  try {
    return brotliDecompressSync(packed, { maxOutputLength: limits.turnBytes }).toString()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      return refuse('too-big', `unpacks to more than the ${limits.turnBytes} bytes that are read`)
    return refuse('damaged', 'cannot be unpacked')
  }
}

/** Names one write of one turn: shares with the same name belong together. */
export function writeOf({ session, seq, kind, parts, enc, whole }: Header): string {
  return [session, seq, kind ?? 'turn', parts, enc, whole ?? ''].join(' ')
}

function sameWrite(a: Header, b: Header): boolean {
  return writeOf(a) === writeOf(b)
}

function checksum(header: string, payload: string): string {
  return digest(`${opening}${header} ${payload}`, 12)
}

function digest(data: string | Buffer, bytes: number): string {
  return createHash('sha256').update(data).digest().subarray(0, bytes).toString('base64url')
}

/** Strict: Node forgives stray characters and unused bits in base64, and then two texts would stand for the same bytes. */
function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

function refuse(reason: Refused['reason'], message: string): Refused {
  return { kind: 'refused', reason, message }
}
