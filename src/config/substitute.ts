import { getLocation, visit } from './jsonc.ts'
import { type Environment, variableFor } from './variables.ts'

/** `{env:NAME}` or `{file:PATH}` in the text of a configuration, comments left out. */
export interface Reference {
  readonly kind: 'env' | 'file'
  readonly name: string
  readonly start: number
  readonly end: number
}

/** A text with its references filled in. */
export interface Filled {
  readonly text: string
  /** Values that came from the environment and must not be shown. */
  readonly secrets: readonly string[]
  readonly notes: readonly { readonly at: number; readonly message: string }[]
  /** The place in the original text that a place in the new one comes from. */
  origin(offset: number): number
}

/** The references in a text, in order; those in comments are none. */
export function referencesIn(text: string): Reference[] {
  const comments: { start: number; end: number }[] = []
  visit(text, { onComment: (start, length) => comments.push({ start, end: start + length }) })
  return [...text.matchAll(/\{(env|file):([^{}\n]+)\}/g)].flatMap((match): Reference[] => {
    const [whole, kind, name = ''] = match
    const isComment = comments.some(({ start, end }) => start <= match.index && match.index < end)
    return isComment ? [] : [{ kind: kind === 'env' ? 'env' : 'file', name: name.trim(), start: match.index, end: match.index + whole.length }]
  })
}

/**
 * Fills in what the references stand for, as the inside of a JSON string, so that no value can add a key. `files` holds the text of every
 * file that is referred to.
 */
export function substitute(text: string, references: readonly Reference[], env: Environment, files: ReadonlyMap<string, string>): Filled {
  const pieces: string[] = []
  const notes: { at: number; message: string }[] = []
  const secrets: string[] = []
  const moved: { from: number; to: number }[] = []
  let done = 0
  let length = 0
  const put = (piece: string) => {
    pieces.push(piece)
    length += piece.length
  }
  for (const { kind, name, start, end } of references) {
    put(text.slice(done, start))
    let value = files.get(name) ?? ''
    if (kind === 'env') {
      const variable = variableFor(name, getLocation(text, start).path, env)
      value = 'value' in variable ? variable.value : ''
      if ('refused' in variable) notes.push({ at: start, message: `{env:${name}} was left empty: ${variable.refused}.` })
      else if (variable.secret && value === '') notes.push({ at: start, message: `{env:${name}} is empty: the job has no such variable.` })
      else if (variable.secret) secrets.push(value)
    }
    put(JSON.stringify(value.trim()).slice(1, -1))
    done = end
    moved.push({ from: length, to: end })
  }
  put(text.slice(done))
  return {
    text: pieces.join(''),
    secrets,
    notes,
    origin(offset) {
      const last = moved.findLast(({ from }) => from <= offset)
      return last === undefined ? offset : last.to + offset - last.from
    },
  }
}
