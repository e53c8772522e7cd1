import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Fails unless a rebuild gives the committed bytes of `dist/`. */
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const fresh = mkdtempSync(join(tmpdir(), 'dist-'))

const contents = (folder: string) =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name))]),
  )

try {
  execFileSync(process.execPath, [join(root, 'scripts/build.ts'), fresh], { stdio: 'inherit' })
  const built = contents(fresh)
  const committed = contents(join(root, 'dist'))
  const names = [...new Set([...built.keys(), ...committed.keys()])].sort()
  const wrong = names.filter((name) => {
    const [a, b] = [built.get(name), committed.get(name)]
    return !a || !b || !a.equals(b)
  })
  if (wrong.length > 0) {
    process.stderr.write(`dist/ is not what the sources give: ${wrong.join(', ')}\nRun \`npm run build\` and commit dist/.\n`)
    process.exitCode = 1
  } else {
    const bytes = [...built.values()].reduce((sum, file) => sum + file.length, 0)
    process.stdout.write(`dist/ is what the sources give: ${built.size} files, ${(bytes / 1e6).toFixed(2)} MB\n`)
  }
} finally {
  rmSync(fresh, { recursive: true, force: true })
}
