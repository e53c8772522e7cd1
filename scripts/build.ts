import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { minify } from 'terser'

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
run('@vercel/ncc/dist/ncc/cli.js', 'build', 'lib/index.js', '--out', target, '--license', 'licenses.txt')
cpSync(join(root, 'prompts'), join(target, 'prompts'), { recursive: true })
// ncc's own --minify leaves dead code in; this halves the bundle.
for (const name of readdirSync(target).filter((file) => file.endsWith('.js'))) {
  const file = join(target, name)
  const { code } = await minify(readFileSync(file, 'utf8'), { module: true, ecma: 2020, compress: true, mangle: { keep_classnames: true } })
  writeFileSync(file, `${code}\n`)
}
