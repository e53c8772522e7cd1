import { basename, extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf } from '../../failure.ts'
import { foreignName } from '../../tool/foreign.ts'
import type { Load, Module } from '../protocol.ts'
import { clientStub } from './client.ts'
import type { Shell } from './shell.ts'
import { type CustomTool, customTool } from './tools.ts'

type Callable = (...values: readonly unknown[]) => unknown

/** One function of a plugin at one place. */
export interface Hook {
  readonly plugin: string
  readonly run: Callable
}

export interface Inventory {
  readonly tools: ReadonlyMap<string, CustomTool>
  /** By name; in the order of the plugins. */
  readonly hooks: ReadonlyMap<string, readonly Hook[]>
  readonly problems: readonly string[]
}

const isFunction = (value: unknown): value is Callable => typeof value === 'function'
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Imports every module and starts every plugin, one after the other. A module that fails is a problem to tell, and the others go on. */
export async function loadAll({ tools, plugins, directory, worktree }: Load, { $, log }: { $: Shell; log: (text: string) => void }): Promise<Inventory> {
  const problems: string[] = []
  const found = new Map<string, CustomTool>()
  const hooks = new Map<string, Hook[]>()
  const add = (tool: CustomTool | undefined, module: Module) => {
    if (!tool) return
    const other = found.get(tool.id)
    if (other) problems.push(`The tool ${tool.id} of ${module.shown} is left out: ${other.shown} has one of that name.`)
    else found.set(tool.id, tool)
  }

  for (const module of tools) {
    const exported = await importOf(module, problems)
    const file = basename(module.file, extname(module.file))
    for (const [name, value] of Object.entries(exported))
      add(customTool(name === 'default' ? foreignName(file) : foreignName(file, name), value, module.shown), module)
  }

  const input = { client: clientStub(log), project: { id: 'global', worktree, vcs: 'git' }, directory, worktree, serverUrl: new URL('http://localhost'), $ }
  for (const module of plugins) {
    for (const start of startersOf(await importOf(module, problems))) {
      try {
        const given = await start(input, module.options)
        if (!isObject(given)) continue
        const { tool, ...rest } = given
        for (const [name, value] of Object.entries(isObject(tool) ? tool : {})) add(customTool(foreignName(name), value, module.shown), module)
        for (const [name, run] of Object.entries(rest)) if (isFunction(run)) hooks.set(name, [...(hooks.get(name) ?? []), { plugin: module.shown, run }])
      } catch (error) {
        problems.push(`The plugin ${module.shown} failed to start: ${messageOf(error)}`)
      }
    }
  }
  return { tools: found, hooks, problems }
}

async function importOf({ file, shown }: Module, problems: string[]): Promise<Record<string, unknown>> {
  try {
    const exported: unknown = await import(/* webpackIgnore: true */ pathToFileURL(file).href)
    return isObject(exported) ? exported : {}
  } catch (error) {
    problems.push(`${shown} could not be loaded: ${messageOf(error)}`)
    return {}
  }
}

/** The plugins of a module: each function it exports, once, and `server` of an object it exports by default. */
function startersOf(exported: Record<string, unknown>): Set<Callable> {
  const { default: main } = exported
  return new Set([...Object.values(exported), ...(isObject(main) ? [main.server] : [])].filter(isFunction))
}
