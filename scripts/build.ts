import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Builds the bundle: type check and emit with tsc, bundle with ncc, copy the prompts beside it.
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
run('@vercel/ncc/dist/ncc/cli.js', 'build', 'lib/index.js', '--out', target, '--minify', '--license', 'licenses.txt')
cpSync(join(root, 'prompts'), join(target, 'prompts'), { recursive: true })

// ncc records file modes and paths that differ between machines nowhere else than here.
const manifest = join(target, 'package.json')
if (existsSync(manifest)) writeFileSync(manifest, `${JSON.stringify(JSON.parse(readFileSync(manifest, 'utf8')), null, 2)}\n`)
