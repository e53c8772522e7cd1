import { posix, win32 } from 'node:path'
import { z } from 'zod'
import { isRecord, parseJson } from '../json.ts'

/** Readers for the text of one input: trimmed, and with its default filled in, so empty text means "not given". Messages read on after the input's value. */

export const text = z.string().transform((value) => value || undefined)

export const required = z.string().min(1, 'must not be empty')

/** One of some words, spelled exactly so. */
export function choice<const T extends string>(words: readonly T[]) {
  return z.enum(words, `must be one of ${words.join(', ')}`)
}

/** The boolean spellings of YAML 1.2's core schema and nothing else (C170). */
export const boolean = z.enum(['true', 'True', 'TRUE', 'false', 'False', 'FALSE'], 'must be true or false').transform((value) => value.toLowerCase() === 'true')

/** A whole number from 1 to `most`. */
export function positive(most: number) {
  const message = most === Number.MAX_SAFE_INTEGER ? 'must be a whole number above 0' : `must be a whole number from 1 to ${most}`
  return z
    .string()
    .regex(/^[0-9]+$/, message)
    .transform(Number)
    .pipe(z.number().min(1, message).max(most, message))
}

/** A whole number above 0, or nothing. */
export const count = text.pipe(positive(Number.MAX_SAFE_INTEGER).optional())

const jsonObject = 'must be an object in inline JSON, such as {"type": "object", "properties": {}}'

/** An object as inline JSON, or nothing. Whether it is a sound schema is judged where it is used. */
export const jsonSchema = text.pipe(z.string().transform(parseJson).refine(isRecord, jsonObject).optional())

const money = 'must be an amount above 0, such as 2.50'

/** An amount of money above 0, with a point before the cents, or nothing. */
export const amount = text.pipe(
  z
    .string()
    .regex(/^([0-9]+(\.[0-9]+)?|\.[0-9]+)$/, money)
    .transform(Number)
    .pipe(z.number().positive(money))
    .optional(),
)

/** Entries between commas and line ends; blank ones are dropped (C170). `check` judges each, `wanted` says what it must be. */
export function list(check: (entry: string) => boolean, wanted: string) {
  const entry = z.string().refine(check, { error: (issue) => `has the entry ${JSON.stringify(issue.input)}, which ${wanted}` })
  return z
    .string()
    .transform((value) =>
      value
        .split(/[,\r\n]/)
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(entry))
}

const reference = /^[^/\s]+\/\S+$/

/** The provider is what stands before the first slash (C169). */
function referenceOf(value: string): { providerID: string; modelID: string } {
  const slash = value.indexOf('/')
  return { providerID: value.slice(0, slash), modelID: value.slice(slash + 1) }
}

/** `provider/model`. */
export const model = z
  .string()
  .refine((value) => value === '' || reference.test(value), 'must have the form provider/model')
  .transform((value) => (value === '' ? undefined : referenceOf(value)))

export const models = list((entry) => reference.test(entry), 'has not the form provider/model').transform((entries) => entries.map(referenceOf))

/** An http or https address without credentials: those belong in `api-key`, where they are kept secret. */
export const address = text.pipe(
  z.string().refine(isAddress, 'must be an http or https address, such as https://models.example.com/v1, without user name and password').optional(),
)

function isAddress(value: string): boolean {
  if (!URL.canParse(value)) return false
  const url = new URL(value)
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

export const triggers = list((entry) => !/\s/.test(entry), 'holds white space').refine((entries) => entries.length > 0, 'must name at least one word')

/** Enterprise-managed accounts carry an underscore, everyone else letters, digits and hyphens. */
export const users = list((entry) => /^[a-z0-9][a-z0-9_-]*$/i.test(entry), 'is not the login of a person')

export const bots = list((entry) => /^[a-z0-9][a-z0-9_-]*(\[bot\])?$/i.test(entry), 'is not the login of a bot')

export const branch = text.pipe(z.string().refine(isBranch, 'is not a branch name that git accepts').optional())

export const branchPrefix = z.string().refine((value) => isBranch(`${value}issue1`), 'does not begin a branch name that git accepts')

/** The rules of `git check-ref-format --branch`. */
function isBranch(name: string): boolean {
  if ([...name].some((char) => char <= ' ' || char === '\u007f' || '~^:?*[\\'.includes(char))) return false
  if (name === '@' || name.includes('..') || name.includes('@{') || name.endsWith('.') || name.startsWith('-')) return false
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
}

/** A folder inside the workspace, as `a/b`; empty for the workspace itself. */
export const folder = z
  .string()
  .refine(
    (value) => !posix.isAbsolute(value) && !win32.isAbsolute(value) && !/^[a-z]:/i.test(value) && !value.split(/[\\/]/).includes('..'),
    'must be a folder inside the workspace, relative to it and without ".."',
  )
  .transform((value) =>
    value
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/'),
  )
