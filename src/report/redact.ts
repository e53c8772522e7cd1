export interface Redactor {
  /** Adds a secret that became known during the run. */
  add(secret: string): void
  redact(text: string): string
}

/** What stands where a secret stood. */
export const redacted = '[redacted]'

/** Shorter values and lines are not looked for: masking them would blot out ordinary text (C149). */
const shortest = 8

/**
 * The one redactor, for everything that leaves the run: comments, commit messages, logs, summary, outputs, transcript (C140).
 * It knows the secrets of this run, each as written and as base64, base64url, hex, URL-encoded and JSON text, and the forms of
 * well-known tokens. Secrets are trimmed, and those of several lines are also looked for line by line (C149).
 * Run it over text before that is packed into a hidden payload: packed text can't be searched, and by chance looks like a token.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const values = new Set<string>()
  let exact: RegExp | undefined

  const add = (secret: string): void => {
    for (const value of [secret.trim(), ...secret.split(/\r?\n/).map((line) => line.trim())]) if (value.length >= shortest) values.add(value)
    // The longest first, so that a whole secret goes before one of its lines.
    const forms = [...values].sort((a, b) => b.length - a.length).flatMap(formsOf)
    exact = forms.length > 0 ? new RegExp([...new Set(forms)].join('|'), 'g') : undefined
  }
  for (const secret of secrets) add(secret)

  return {
    add,
    redact(text) {
      const known = exact ? text.replace(exact, redacted) : text
      return known.replace(wellKnown, redacted)
    },
  }
}

/** JSON of a value in which no text holds a secret. */
export function redactedJson(value: unknown, { redact }: Redactor, indent?: number): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? redact(inner) : inner), indent)
}

/** Regular expressions for the ways a value is written by common tools. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  return [asText(value), ...[0, 1, 2].map((shift) => base64(bytes, shift)), hex(bytes)]
}

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** As it is, URL-encoded in either letter case and to any degree, or inside JSON, which may itself be inside JSON. */
function asText(value: string): string {
  return (value.replaceAll('\r\n', '\n').match(/\\+|[^\\]/gu) ?? [])
    .map((character) => {
      if (/[\w.~-]/.test(character)) return literal(character)
      // Any number of backslashes: one that were doubled for one that were not.
      if (character.startsWith('\\')) return String.raw`(?:\\+|(?:%5[cC])+)`
      if (character === '\n') return String.raw`(?:\r?\n|(?:\\+r)?\\+n|(?:%0[dD])?%0[aA])`
      const percent = [...Buffer.from(character)].map((byte) => `%${hex(Buffer.from([byte]))}`).join('')
      return `(?:${written.get(character) ?? literal(character)}|${percent})`
    })
    .join('')
}

/** How characters look that JSON escapes or form encoding replaces. */
const written: ReadonlyMap<string, string> = new Map([
  ['"', String.raw`\\*"`],
  ['/', String.raw`\\*\/`],
  ['\t', String.raw`\t|\\+t`],
  [' ', String.raw` |\+`],
])

/** Tools break long lines and put blanks between pairs; the pieces still are the secret. */
const spaced = (units: readonly string[]): string => units.join('\\s*')

const hex = (bytes: Buffer): string =>
  spaced(
    [...bytes].map((byte) => [...byte.toString(16).padStart(2, '0')].map((digit) => (/\d/.test(digit) ? digit : `[${digit}${digit.toUpperCase()}]`)).join('')),
  )

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

/** Where a token may begin that ordinary words could end in: not inside a word, but after the `n` of an escaped line break or the end of a colour. */
const start = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrt]|\[[\d;]*m)`

const wellKnown = new RegExp(
  [
    String.raw`gh[pousr]_[A-Za-z0-9_]{20,}(?:\.[\w-]{10,})*`,
    'github_pat_[A-Za-z0-9_]{22,}',
    String.raw`sk-ant-[\w-]{16,}`,
    String.raw`${start}sk-(?=[\w-]*\d)[\w-]{20,}`,
    String.raw`AIza[\w-]{35}`,
    `${start}(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])`,
    String.raw`xox[abeoprs]-[\w-]{10,}`,
    String.raw`eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}`,
    String.raw`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,20000}?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|[\w+/=\\\s]*)`,
  ].join('|'),
  'g',
)
