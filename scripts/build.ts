import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { minify } from 'terser'
import { parserAssets } from '../src/tool/shell-commands-parser.ts'
import { eager } from './eager.ts'

/**
 * Builds the bundle: type check and emit with tsc, bundle with ncc, put the prompts, the demo, the plugin host and the shell parser beside it.
 * `node scripts/build.ts [folder]` writes to `dist/` unless told otherwise.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = resolve(root, process.argv[2] ?? 'dist')
const run = (script: string, ...args: string[]) =>
  execFileSync(process.execPath, [join(root, 'node_modules', script), ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })

rmSync(join(root, 'lib'), { recursive: true, force: true })
run('typescript/bin/tsc', '-p', 'tsconfig.build.json')
for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }))
  if (file.endsWith('.json')) cpSync(join(root, 'src', file), join(root, 'lib', file))

rmSync(target, { recursive: true, force: true })
await bundle('lib/index.js', target)
cpSync(join(root, 'prompts'), join(target, 'prompts'), { recursive: true })
await pack('lib/local/start.js', 'demo')
// Plugins and custom tools run in a process of their own, which needs little of the rest.
await pack('lib/plugin/host/main.js', 'plugin-host')

// The shell parser is loaded when the first command has to be looked into. Packed, it is an eighth of its size.
const modules = join(root, 'node_modules')
const library = join(target, parserAssets.library)
cpSync(join(modules, 'web-tree-sitter/web-tree-sitter.js'), library)
await shrink(library)
const parser = { [parserAssets.runtime]: 'web-tree-sitter/web-tree-sitter.wasm', [parserAssets.grammar]: 'tree-sitter-bash/tree-sitter-bash.wasm' }
for (const [name, source] of Object.entries(parser)) writeFileSync(join(target, name), brotliCompressSync(readFileSync(join(modules, source))))
for (const name of ['web-tree-sitter', 'tree-sitter-bash'])
  appendFileSync(join(target, 'licenses.txt'), `\n\n${name}\nMIT\n${readFileSync(join(modules, name, 'LICENSE'), 'utf8')}`)

async function bundle(entry: string, folder: string): Promise<void> {
  run('@vercel/ncc/dist/ncc/cli.js', 'build', entry, '--out', folder, '--license', 'licenses.txt')
  for (const name of readdirSync(folder)) if (name.endsWith('.js')) await shrink(join(folder, name))
}

/** Bundles a program that few runs need and packs it, licences included, for `src/packed.ts`. */
async function pack(entry: string, name: string): Promise<void> {
  const folder = join(root, 'lib/packed', name)
  await bundle(entry, folder)
  const files = Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  writeFileSync(join(target, `${name}.br`), brotliCompressSync(JSON.stringify(files)))
}

/** ncc's own --minify leaves dead code in; this halves the bundle. */
async function shrink(file: string): Promise<void> {
  const { code } = await minify(readFileSync(file, 'utf8'), { module: true, ecma: 2020, compress: true, mangle: { keep_classnames: true } })
  writeFileSync(file, `${eager(code ?? '')}\n`)
}
