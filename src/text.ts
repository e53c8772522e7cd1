import { stripVTControlCharacters } from 'node:util'

/** Control characters other than those of text (tab, line ends, form feed), and halves of surrogate pairs. */
const dirty = /[^\P{Cc}\t\n\r\f]|\p{Surrogate}/u
const controls = /[^\P{Cc}\t\n\r\f]/gu

/** Text as every backend accepts it: no terminal escapes, no control characters, no lone surrogates (C38). */
export function clean(text: string): string {
  return dirty.test(text) ? stripVTControlCharacters(text).replace(controls, '').toWellFormed() : text
}

/** At most `max` UTF-16 units from the start of a text, never half of a surrogate pair (C75). */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const end = Math.max(0, Math.floor(max))
  const last = text.charCodeAt(end - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end)
}

/** The same with an ellipsis where something is missing. */
export function excerpt(text: string, max: number): string {
  return text.length <= max ? text : `${cut(text, max)}…`
}

/** A number with its noun: `1 step`, `3 steps`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
