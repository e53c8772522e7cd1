/**
 * Regular expressions for the ways a secret is written by common tools: as it is, URL-encoded in either letter case and to any degree, inside
 * JSON (which may itself be inside JSON) and HTML; as hex; and as base64 at each of its three places within a group of bytes.
 */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  return [asText(value), ...[0, 1, 2].map((shift) => base64(bytes, shift)), hex(bytes)]
}

/**
 * Characters that any of these forms has at the most, not counting what may stand in between in any number: blanks, line breaks, and
 * backslashes, URL-encoded ones too.
 */
export function reachOf(value: string): number {
  let reach = 0
  for (const character of value) reach += /\w/.test(character) ? 2 : Math.max(6, 3 * Buffer.byteLength(character))
  return reach
}

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

function asText(value: string): string {
  return (value.replaceAll('\r\n', '\n').match(/\\+|[^\\]/gu) ?? [])
    .map((character) => {
      if (/[\w.~-]/.test(character)) return literal(character)
      // Any number of backslashes: one that were doubled for one that were not.
      if (character.startsWith('\\')) return String.raw`(?:\\+|(?:%5[cC])+)`
      if (character === '\n') return String.raw`(?:\r?\n|(?:\\+r)?\\+n|(?:%0[dD])?%0[aA])`
      const percent = [...Buffer.from(character)].map((byte) => `%${hex(Buffer.from([byte]))}`).join('')
      const escapes = character.split('').map((unit) => String.raw`\\+u${hex(utf16(unit))}`)
      return `(?:${written.get(character) ?? literal(character)}|${percent}|${escapes.join('')})`
    })
    .join('')
}

/** How characters look that JSON or HTML escapes or form encoding replaces. */
const written: ReadonlyMap<string, string> = new Map([
  ['"', String.raw`\\*"|&quot;|&#34;`],
  ["'", `'|&apos;|&#39;|&#x27;`],
  ['&', '&(?:amp;|#38;)?'],
  ['<', '<|&lt;|&#60;'],
  ['>', '>|&gt;|&#62;'],
  ['/', String.raw`\\*\/`],
  ['\t', String.raw`\t|\\+t`],
  [' ', String.raw` |\+`],
])

function utf16(unit: string): Buffer {
  return Buffer.from([unit.charCodeAt(0) >> 8, unit.charCodeAt(0) & 0xff])
}

/** Tools break long lines and put blanks between pairs; the pieces still are the secret. */
const spaced = (units: readonly string[]): string => units.join('\\s*')

const hex = (bytes: Buffer): string => spaced([...bytes.toString('hex')].map((digit) => (/\d/.test(digit) ? digit : `[${digit}${digit.toUpperCase()}]`)))

/**
 * The characters of a base64 text that depend on the secret alone, when it begins at this place within a group of three bytes; both
 * alphabets. The character that mixes its last bits with what follows is taken along when something follows.
 */
function base64(bytes: Buffer, shift: number): string {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replaceAll('=', '')
  const mixed = (shift + bytes.length) % 3 === 0 ? 0 : 1
  const sure = encoded.slice([0, 2, 3][shift], encoded.length - mixed)
  const unit = (character: string): string => (character === '+' ? '[+-]' : character === '/' ? '[/_]' : character)
  return spaced([...sure].map(unit)) + (mixed ? '(?:[\\r\\n]*[\\w+/-])?={0,2}' : '')
}
