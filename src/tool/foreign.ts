import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Attachment } from '../session/message.ts'
import { mediaOf } from './media.ts'

/** What tools that come from outside, from MCP servers and from the repository, have in common. */

/** Longest name of a tool that every provider takes. */
const NAME_CHARS = 64
const DIGEST_CHARS = 8

/** The arguments of a tool whose owner checks them itself. */
export const anyArguments = z.looseObject({})

/** A tool's name made of pieces that may hold anything: `server_tool` of A-Z, a-z, 0-9, `_` and `-`, 64 at the most. The same pieces give the same name. */
export function foreignName(...pieces: readonly string[]): string {
  const name = pieces.map((piece) => piece.replaceAll(/[^A-Za-z0-9_-]/g, '_')).join('_')
  if (name.length <= NAME_CHARS) return name
  const digest = createHash('sha256').update(pieces.join('\0')).digest('hex').slice(0, DIGEST_CHARS)
  return `${name.slice(0, NAME_CHARS - DIGEST_CHARS - 1)}_${digest}`
}

/** The name itself, or with the first number behind it that nobody has yet; it is then taken. */
export function uniqueName(name: string, taken: Set<string>): string {
  let free = name
  for (let count = 2; taken.has(free); count++) free = `${name.slice(0, NAME_CHARS - String(count).length - 1)}_${count}`
  taken.add(free)
  return free
}

/** A text somebody else wrote, so that another sentence can follow it. */
export function sentence(text: string): string {
  const trimmed = text.trimEnd()
  return /[\p{P}\p{S}]$/u.test(trimmed) ? trimmed : `${trimmed}.`
}

/**
 * Bytes in base64 as an attachment, or the note that stands in its place. The kind is read from the bytes themselves (C40): images and PDFs up to
 * the sizes that models can be given.
 */
export function attachmentOf(base64: string, about: { readonly mime: string; readonly name: string }): Attachment | string {
  const bytes = Buffer.from(base64, 'base64')
  const kind = mediaOf(bytes)
  if (!kind) return `[${about.name} (${about.mime}, ${bytes.length} bytes) is left out: it is no image or PDF]`
  if (bytes.length > kind.max) return `[${about.name} (${kind.mime}) is left out: it has ${bytes.length} bytes, more than ${kind.max}]`
  return { type: 'file', mime: kind.mime, url: `data:${kind.mime};base64,${base64}`, filename: about.name }
}
