import { fileURLToPath } from 'node:url'
import { families, firstRequest, sizesOf } from './first-request.ts'

/** Prints what the first request of the default agent costs, for each family of models: `npm run prompts [bundle]`, after a build. */
const limit = 15_000
const bundle = process.argv[2] ?? fileURLToPath(new URL('../dist/index.js', import.meta.url))
const columns = ['system', 'tools', 'context', 'total'] as const

const line = (cells: readonly string[], end: string) =>
  process.stdout.write(`${cells.map((cell, at) => (at < 2 ? cell.padEnd(at === 0 ? 12 : 32) : cell.padStart(9))).join('')}  ${end}\n`)
line(['family', 'model', ...columns], `(bytes; goal: ${limit} at the most)`)
let over = 0
for (const [family, model] of Object.entries(families)) {
  const sizes = sizesOf(await firstRequest(model, bundle))
  if (sizes.total > limit) over += 1
  line([family, model, ...columns.map((name) => sizes[name].toLocaleString('en'))], sizes.total > limit ? 'over the goal' : 'fits')
}
process.exitCode = over > 0 ? 1 : 0
