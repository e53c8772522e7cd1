import { isUtf8 } from 'node:buffer'
import { cut, clean as plain } from '../text.ts'

/** The text of a file, and what is needed to write it back as it was. */
export interface Decoded {
  /** Without the byte-order mark. */
  readonly text: string
  readonly encoding: 'utf8' | 'utf16le' | 'utf16be'
  readonly bom: boolean
  /** False when some bytes are no text and show as U+FFFD: writing the text back would change them. */
  readonly exact: boolean
}

const bom = '\uFEFF'
/** As many bytes as git looks at to tell text from binary. */
const sampleSize = 8_000
const maxControlShare = 0.1

/** Decodes a file as UTF-8, or as UTF-16 when it has that mark (C74, C66). `undefined`: it is not text. */
export function decode(bytes: Buffer): Decoded | undefined {
  const wide = bytes.length % 2 === 0 ? bytes.subarray(0, 2).toString('hex') : ''
  if (wide === 'fffe') return wideText(bytes, 'utf16le')
  if (wide === 'feff') return wideText(Buffer.from(bytes).swap16(), 'utf16be')
  const sample = bytes.subarray(0, sampleSize)
  if (sample.includes(0)) return undefined
  const exact = isUtf8(bytes)
  if (!exact && controlShare(sample) > maxControlShare) return undefined
  const text = bytes.toString('utf8')
  return text.startsWith(bom) ? { text: text.slice(1), encoding: 'utf8', bom: true, exact } : { text, encoding: 'utf8', bom: false, exact }
}

function wideText(bytes: Buffer, encoding: 'utf16le' | 'utf16be'): Decoded {
  const text = bytes.subarray(2).toString('utf16le')
  return { text, encoding, bom: true, exact: text.isWellFormed() }
}

function controlShare(sample: Buffer): number {
  let controls = 0
  for (const byte of sample) if (byte < 0x20 && (byte < 0x07 || byte > 0x0d) && byte !== 0x1b) controls += 1
  return sample.length === 0 ? 0 : controls / sample.length
}

/** The bytes of a text in the encoding, and with the mark, of the file it came from. */
export function encode(text: string, like: Pick<Decoded, 'encoding' | 'bom'>): Buffer {
  const whole = like.bom ? bom + text : text
  if (like.encoding === 'utf8') return Buffer.from(whole, 'utf8')
  const wide = Buffer.from(whole, 'utf16le')
  return like.encoding === 'utf16be' ? wide.swap16() : wide
}

/** A text without a byte-order mark at its start: models copy the mark or not (C66). */
export function withoutBom(text: string): string {
  return text.startsWith(bom) ? text.slice(1) : text
}

/** The line end most lines of a text have; `undefined` when it has only one line (C65). */
export function lineEnd(text: string): '\r\n' | '\n' | undefined {
  const crlf = text.split('\r\n').length - 1
  const all = text.split('\n').length - 1
  if (all === 0) return undefined
  return crlf * 2 > all ? '\r\n' : '\n'
}

/** The text with every CRLF or LF written as `end`. */
export function withLineEnd(text: string, end: '\r\n' | '\n'): string {
  return text.replaceAll(/\r?\n/g, end)
}

/** The lines of a text without their ends; a final line end makes no further line. */
export function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** What a tool hands to a model: clean text (C38) with LF line ends. */
export function clean(text: string): string {
  return withLineEnd(plain(text), '\n')
}

/** One line for a model: cut at `max` characters, saying so. */
export function cutLine(line: string, max: number): string {
  return line.length <= max ? line : `${cut(line, max)}... (line cut: ${line.length} characters)`
}
