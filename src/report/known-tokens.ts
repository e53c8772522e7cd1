import { type TokenFormat, tokenFormats } from './token-formats.ts'

/** The value in a match of a format, without what only told that it is one. */
export function valueIn(match: string, groups: unknown): { readonly kept: string; readonly value: string } {
  // There are no groups at all where the expression has none.
  const kept = typeof groups === 'object' && groups !== null && 'kept' in groups ? String(groups.kept) : ''
  return { kept, value: match.slice(kept.length) }
}

/** The formats that may occur in a text, in their order. One pass over it; most texts hold no hint of any. */
export function formatsIn(text: string): readonly TokenFormat[] {
  const found = [...hits(text, exactHints), ...hits(text, looseHints)]
  if (found.length === 0) return unhinted
  return tokenFormats.filter(({ hints }) => hints.length === 0 || hints.some((hint) => found.some((hit) => hint.startsWith(hit) || hit.startsWith(hint))))
}

const unhinted = tokenFormats.filter(({ hints }) => hints.length === 0)
const isLoose = ({ form }: TokenFormat) => form.ignoreCase
const exactHints = anyOf(tokenFormats.filter((format) => !isLoose(format)))
const looseHints = anyOf(tokenFormats.filter(isLoose), 'i')

function anyOf(formats: readonly TokenFormat[], flags = ''): RegExp {
  const hints = new Set(formats.flatMap((format) => format.hints))
  return new RegExp([...hints].map((hint) => hint.replaceAll(/[.+/$]/g, '\\$&')).join('|'), `g${flags}`)
}

function hits(text: string, hints: RegExp): ReadonlySet<string> {
  const found = new Set<string>()
  hints.lastIndex = 0
  for (let match = hints.exec(text); match; match = hints.exec(text)) {
    found.add(hints.ignoreCase ? match[0].toLowerCase() : match[0])
    // Another may begin inside it.
    hints.lastIndex = match.index + 1
  }
  return found
}
