import { isRecord, type JsonObject } from '../json.ts'
import { own, plainOf, without } from './plain.ts'
import { meaningless } from './schema.ts'
import type { Place } from './variables.ts'

interface Lowered {
  readonly value: JsonObject
  readonly notes: readonly { readonly place: Place; readonly message: string }[]
}

/** Newer names of sections that mean the same; a section under its own name goes first. */
const renamed: readonly (readonly [string, string])[] = [
  ['agents', 'agent'],
  ['commands', 'command'],
]

/**
 * A configuration in the names of the schema: the newer spellings of OpenCode's second format are turned into them (the engine's description 4.3),
 * and keys that mean nothing here are named. `null` counts as not written.
 */
export function lowered(written: JsonObject): Lowered {
  const notes: { place: Place; message: string }[] = []
  let value = renamed.reduce((object, [newer, name]) => {
    if (!isRecord(own(object, newer)) || Object.hasOwn(object, name)) return object
    return Object.fromEntries(Object.entries(object).map(([key, item]) => [key === newer ? name : key, item]))
  }, stripped(written))

  const servers = own(plainOf(own(value, 'mcp')), 'servers')
  if (isRecord(servers) && !('type' in servers) && !('enabled' in servers)) {
    value = { ...value, mcp: { ...without(plainOf(value.mcp), 'servers'), ...servers } }
  }
  const skills = own(value, 'skills')
  if (Array.isArray(skills)) value = { ...value, skills: { paths: skills } }
  const compaction = plainOf(own(value, 'compaction'))
  const kept = own(plainOf(own(compaction, 'keep')), 'tokens')
  const renames = { ...(kept === undefined ? {} : { preserve_recent_tokens: kept }), ...('buffer' in compaction ? { reserved: compaction.buffer } : {}) }
  if (Object.keys(renames).length > 0) value = { ...value, compaction: { ...renames, ...without(without(compaction, 'keep'), 'buffer') } }

  for (const key of Object.keys(value)) {
    if (meaningless.includes(key)) notes.push({ place: [key], message: `"${key}" means nothing in a GitHub Action and was ignored.` })
  }
  return { value, notes }
}

function stripped(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).flatMap(([key, value]) => (value === null ? [] : [[key, isRecord(value) ? stripped(value) : value]])))
}
