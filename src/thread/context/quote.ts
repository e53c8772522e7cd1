import { cut } from '../../text.ts'

/** Text of others can neither close our tags nor open new ones; everything else in it, code above all, stays as it is (C44). */
export const quoted = (text: string): string => text.replaceAll(/<(?=\s*\/?\s*(?:github_|system-reminder))/gi, '&lt;')

/** Attributes of one of our tags; values that are undefined are left out, and no value can end its own. */
export function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  const value = (raw: string | number): string => oneLine(String(raw)).replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return Object.entries(values)
    .flatMap(([name, raw]) => (raw === undefined ? [] : ` ${name}="${value(raw)}"`))
    .join('')
}

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** The beginning of a text, said to be cut where it is, and never through the middle of a character (C75). `unread` characters come after it. */
export function clip(text: string, length: number, unread = 0): { readonly text: string; readonly missing: number } {
  if (text.length <= length && unread === 0) return { text, missing: 0 }
  const rest = cut(text, length)
  const missing = text.length + unread - rest.length
  return { text: `${rest}\n(${missing} more characters left out)`, missing }
}
