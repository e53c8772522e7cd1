import { existsSync, readFileSync, statSync } from 'node:fs'
import { type LoadHookContext, registerHooks } from 'node:module'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Modules that we bring along, by the name they are imported by; `instead` names those that a package of the checkout goes before. */
export interface Brought {
  readonly modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly instead: ReadonlySet<string>
}

const scheme = 'opencode:'
/** Where virtual modules find what they export. */
const registry = Symbol.for('opencode-action.modules')
const extensions = ['.ts', '.mts', '.js', '.mjs', '/index.ts', '/index.js']

/**
 * Makes imports of the repository's modules work as under Bun: our own modules by name, file names without extension, JSON and text files.
 * Packages are looked for in the checkout, since the private folder `root` holds none.
 */
export function resolveModules(root: string, worktree: string, brought: Brought): void {
  Object.defineProperty(globalThis, registry, { value: brought.modules })
  const isPrivate = (url: string | undefined) => url?.startsWith(`${pathToFileURL(root).href}/`) === true

  registerHooks({
    resolve(specifier, context, next) {
      if (!isPrivate(context.parentURL) || context.parentURL === undefined) return next(specifier, context)
      const ours = Object.hasOwn(brought.modules, specifier) ? { url: scheme + specifier, shortCircuit: true } : undefined
      if (ours && !brought.instead.has(specifier)) return ours
      if (/^\.{1,2}(\/|$)/.test(specifier)) return next(neighbour(specifier, context.parentURL, root), context)
      if (specifier.startsWith('node:') || specifier.startsWith('file:') || specifier.startsWith('/')) return next(specifier, context)
      try {
        const file = join(worktree, relative(root, fileURLToPath(context.parentURL)))
        return next(specifier, { ...context, parentURL: pathToFileURL(file).href })
      } catch (error) {
        if (ours) return ours
        throw new Error(`it imports ${JSON.stringify(specifier)}, which is not installed in this job. Install it in a step before opencode-action.`, {
          cause: error,
        })
      }
    },
    load(url, context, next) {
      if (url.startsWith(scheme)) return { format: 'module', source: sourceOf(url.slice(scheme.length), brought), shortCircuit: true }
      if (!isPrivate(url)) return next(url, context)
      return privateModule(url, context, next)
    },
  })
}

type Next = Parameters<NonNullable<Parameters<typeof registerHooks>[0]['load']>>[2]

function privateModule(url: string, context: LoadHookContext, next: Next) {
  const file = fileURLToPath(url)
  const data = { '.json': () => readFileSync(file, 'utf8'), '.md': () => quoted(file), '.txt': () => quoted(file) }[extname(file)]
  if (data) return { format: 'module', source: `export default ${data()}`, shortCircuit: true }
  const loaded = next(url, context)
  if (typeof loaded.source !== 'string' && !(loaded.source instanceof Uint8Array)) return loaded
  const source = Buffer.from(loaded.source).toString()
  return { ...loaded, source: source.replaceAll(/\bimport\.meta\.dir\b/g, 'import.meta.dirname') }
}

const quoted = (file: string): string => JSON.stringify(readFileSync(file, 'utf8'))

/** The file a relative import means, its extension left out or, as TypeScript has it, that of the file it will become. */
function neighbour(specifier: string, parent: string, root: string): string {
  const wanted = fileURLToPath(new URL(specifier, parent))
  const candidates = [wanted, ...extensions.map((extension) => wanted + extension), wanted.replace(/\.(m?)js$/, '.$1ts')]
  const found = candidates.find((file) => file.startsWith(root + sep) && existsSync(file) && statSync(file).isFile())
  if (!found) throw new Error(`it imports ${JSON.stringify(specifier)}, and there is no such file in the folders that modules are taken from.`)
  return pathToFileURL(found).href
}

/** A module that hands on values which already exist. Names like `default` or `enum` can be exported, but not declared. */
function sourceOf(name: string, { modules }: Brought): string {
  const keys = Object.keys(modules[name] ?? {})
  return [
    `const all = globalThis[Symbol.for('opencode-action.modules')][${JSON.stringify(name)}]`,
    ...keys.map((key, index) => `const _${index} = all[${JSON.stringify(key)}]`),
    `export { ${keys.map((key, index) => `_${index} as ${key}`).join(', ')} }`,
  ].join('\n')
}
