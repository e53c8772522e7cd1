import { isRecord, type JsonObject, mergeDeep } from '../json.ts'
import type { PermissionConfig } from '../tool/permission.ts'
import { own, plainOf, without } from './plain.ts'

/**
 * Lays one configuration over another (the engine's description 4.1): objects are merged deeply, anything else is replaced, instructions and
 * plugins are added to those there are. A key keeps the position it was first written at, which for permissions decides; so limits that no
 * configuration may widen have to be appended (`restrictionsOf`) and not merged.
 */
export function mergeConfig(under: JsonObject, over: JsonObject): JsonObject {
  const merged = mergeDeep(spelledOut(under), spelledOut(over))
  const instructions = unique([...listOf(under, 'instructions'), ...listOf(over, 'instructions')])
  const plugins = latest([...listOf(under, 'plugin'), ...listOf(over, 'plugin')])
  return {
    ...merged,
    ...('instructions' in merged ? { instructions } : {}),
    ...('plugin' in merged ? { plugin: plugins } : {}),
  }
}

/**
 * The last touches after everything is merged: modes become agents that lead, the older `tools` become permissions in front of those that are
 * written as such, and the job's switches against compaction are obeyed.
 */
export function completed(config: JsonObject, switches: { readonly autoCompaction: boolean; readonly prune: boolean }): JsonObject {
  const modes = Object.entries(plainOf(own(config, 'mode'))).map(([name, mode]): [string, unknown] => [name, { ...plainOf(mode), mode: 'primary' }])
  const sections = {
    agent: mergeDeep(plainOf(own(config, 'agent')), Object.fromEntries(modes)),
    permission: { ...fromTools(plainOf(own(config, 'tools'))), ...plainOf(own(spelledOut(config), 'permission')) },
    compaction: {
      ...plainOf(own(config, 'compaction')),
      ...(switches.autoCompaction ? {} : { auto: false }),
      ...(switches.prune ? {} : { prune: false }),
    },
  }
  const written = Object.entries(sections).filter(([, section]) => Object.keys(section).length > 0)
  return { ...without(without(config, 'mode'), 'tools'), ...Object.fromEntries(written) }
}

/**
 * What of a permission narrows: everything from the first rule on that does not allow. Appended after the rules of agents it sets limits,
 * exceptions included, and a mere `"*": "allow"` of the job does not undo what an agent forbids itself.
 */
export function restrictionsOf(permission: JsonObject): JsonObject {
  const entries = Object.entries(plainOf(own(spelledOut({ permission }), 'permission')))
  const first = entries.findIndex(([, rule]) => (isRecord(rule) ? Object.values(rule) : [rule]).some((action) => action !== 'allow'))
  return first < 0 ? {} : Object.fromEntries(entries.slice(first))
}

/** Permissions in the form of an object, whatever form they were written in. */
function spelledOut(config: JsonObject): JsonObject {
  const permission = own(config, 'permission')
  return typeof permission === 'string' ? { ...config, permission: { '*': permission } } : config
}

/** Tools that were told apart before they came under one permission. */
const editing = new Set(['write', 'edit', 'patch', 'multiedit', 'apply_patch'])

function fromTools(tools: JsonObject): Exclude<PermissionConfig, string> {
  return Object.fromEntries(Object.entries(tools).map(([name, on]) => [editing.has(name) ? 'edit' : name, on ? 'allow' : 'deny']))
}

function listOf(config: JsonObject, key: string): readonly unknown[] {
  const list = own(config, key)
  return Array.isArray(list) ? list : []
}

function unique(list: readonly unknown[]): unknown[] {
  return [...new Set(list)]
}

/** Of plugins with the same name the last one, whatever its version. */
function latest(plugins: readonly unknown[]): unknown[] {
  const names = plugins.map(pluginName)
  return plugins.filter((_, index) => names.lastIndexOf(names[index]) === index)
}

/** A plugin without its version: `@scope/name@1.2.3` is `@scope/name`. */
function pluginName(plugin: unknown): unknown {
  const spec: unknown = Array.isArray(plugin) ? plugin[0] : plugin
  return typeof spec === 'string' && !spec.startsWith('.') ? spec.replace(/(?<=.)@[^@/]*$/, '') : spec
}
