import { formatsIn, valueIn } from './known-tokens.ts'
import { formsOf, reachOf } from './secret-forms.ts'

/** How many different texts of a kind were taken out. Tells no value. */
export interface Redaction {
  /** `secret of this run`, or the name of a known format. */
  readonly kind: string
  readonly count: number
}

/** A place in a text, with what tells that it is a secret. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface Redactor {
  /** Adds a secret that became known during the run. */
  add(secret: string): void
  /**
   * Adds the secrets that a text shows: those of a known format, so that they are also found in another form, and what it asks the runner to
   * mask (`::add-mask::`).
   */
  learn(text: string): void
  redact(text: string): string
  /** Whether a text holds a secret that was added, one long enough to be there by no chance; those that were only learnt don't count. */
  holds(text: string): boolean
  /** What was taken out so far. */
  redactions(): readonly Redaction[]
  /** Where secrets of either sort stand, with what tells them; in no order. */
  find(text: string): readonly Span[]
  /** Characters that a form of a secret of this run has at the most, see `reachOf`. */
  readonly reach: number
}

/** What stands where a secret stood. */
export const redacted = '[redacted]'

/** Shorter values and lines are not looked for: masking them would blot out ordinary text (C149). */
const shortest = 8
/** Secrets that texts may add: what a program prints must not make the list endless. */
const learnt = 200
/** Characters from which on a value can't be an ordinary word. */
const unmistakable = 16
/** Characters of one of them. */
const longest = 10_000
/** Different texts of a kind that are counted. */
const counted = 1_000

/**
 * The one redactor, for everything that leaves the run: comments, commit messages, logs, summary, outputs, transcript (C140).
 * It knows the secrets of this run, each as written and as base64, base64url, hex, URL-encoded, JSON and HTML text, and the forms of
 * well-known tokens. Secrets are trimmed, and those of several lines are also looked for line by line (C149).
 * Run it over text before that is packed into a hidden payload: packed text can't be searched, and by chance looks like a token.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const values = new Set<string>()
  const certain = new Set<string>()
  const seen = new Map<string, Set<string>>()
  let room = learnt
  /** Of the values as they are now; made when it is needed. */
  let exact: RegExp | undefined
  let sure: RegExp | undefined
  let reach = 0

  const note = (kind: string, text: string): void => {
    const texts = seen.get(kind) ?? new Set()
    seen.set(kind, texts)
    if (texts.size < counted) texts.add(text)
  }
  const add = (secret: string): boolean => {
    const before = values.size
    for (const value of [secret.trim(), ...secret.split(/\r?\n/).map((line) => line.trim())]) {
      if (value.length < shortest) continue
      values.add(value)
      reach = Math.max(reach, reachOf(value))
    }
    if (values.size > before) exact = undefined
    return values.size > before
  }
  const known = (): RegExp | undefined => {
    if (exact || values.size === 0) return exact
    // The longest first, so that a whole secret goes before one of its lines.
    const forms = [...values].sort((a, b) => b.length - a.length).flatMap(formsOf)
    exact = new RegExp([...new Set(forms)].join('|'), 'g')
    return exact
  }
  const given = (secret: string): void => {
    add(secret)
    for (const word of wordsOf(secret)) certain.add(word)
    sure = undefined
  }
  for (const secret of secrets) given(secret)

  return {
    add: given,
    holds(text) {
      if (certain.size === 0) return false
      sure ??= new RegExp([...certain].flatMap(formsOf).join('|'))
      return sure.test(text)
    },
    learn(text) {
      for (const secret of shownIn(text)) {
        if (room > 0 && secret.length <= longest && add(secret)) room--
      }
    },
    redact(text) {
      const own = known()
      let safe = own
        ? text.replace(own, (match) => {
            note('secret of this run', match)
            return redacted
          })
        : text
      for (const { kind, form } of formatsIn(safe)) {
        safe = safe.replace(form, (...args: unknown[]) => {
          const { kept, value } = valueIn(String(args[0]), args.at(-1))
          note(kind, value)
          return kept + redacted
        })
      }
      return safe
    },
    redactions: () => [...seen].map(([kind, texts]) => ({ kind, count: texts.size })).sort((a, b) => (a.kind < b.kind ? -1 : 1)),
    find(text) {
      const own = known()
      const forms = [...(own ? [own] : []), ...formatsIn(text).map(({ form }) => form)]
      return forms.flatMap((form) => [...text.matchAll(form)].map(({ index, 0: match }) => ({ start: index, end: index + match.length })))
    },
    get reach() {
      return reach
    },
  }
}

/** What of a secret is like no other text: all of it where it is one line, else the keys in its lines. */
function wordsOf(secret: string): readonly string[] {
  const value = secret.trim()
  if (!value.includes('\n')) return value.length >= unmistakable ? [value] : []
  const words = value.match(/[\w+/=.~-]+/g) ?? []
  return words.filter((word) => word.length >= unmistakable && /\d/.test(word) && /[A-Za-z]/.test(word))
}

/** JSON of a value in which no text holds a secret. */
export function redactedJson(value: unknown, { redact }: Pick<Redactor, 'redact'>, indent?: number): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? redact(inner) : inner), indent)
}

const mask = /^[ \t]*(?:::add-mask(?: [^:\n]*)?::|##\[add-mask\])(.+)$/gm

function shownIn(text: string): readonly string[] {
  const masked = [...text.matchAll(mask)].map(([, value = '']) => value.trim().replaceAll(/%(0D|0A|25)/gi, decodeURIComponent))
  const tokens = formatsIn(text).flatMap(({ form }) => [...text.matchAll(form)].map((match) => valueIn(match[0], match.groups).value))
  // A word that happens to stand where a secret would is no reason to blot it out everywhere.
  return [
    ...masked,
    ...tokens.filter((value) => value.length >= 12 && /\d/.test(value) && /[A-Za-z]/.test(value)).map((value) => value.replaceAll('\\n', '\n')),
  ]
}
