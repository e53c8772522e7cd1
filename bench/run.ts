import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { issueCommentPayload } from '../src/local/github/payloads.ts'
import { createWorld, runAction } from '../src/local/world.ts'
import { instantModel } from './model.ts'

/**
 * What the action itself costs, with every server on loopback at zero latency: `npm run bench [rounds] [steps]`.
 * The run is the one the peers were measured with: a comment on an issue, then read, edit, answer. Printed, never asserted.
 */
const rounds = Number(process.argv[2] ?? 7)
const longSteps = Number(process.argv[3] ?? 200)
const bundle = fileURLToPath(new URL('../dist/index.js', import.meta.url))
const preload = new URL('./peak-memory.mjs', import.meta.url).href
const path = 'src/date.js'
const source = `${Array.from({ length: 40 }, (_, line) => `// line ${line}`).join('\n')}\nexport const parse = (text) => new Date(text)\n`
const edit = { filePath: path, oldString: 'new Date(text)', newString: 'new Date(Date.parse(text))' }

interface Figures {
  readonly start: number
  readonly steps: readonly number[]
  readonly memory: number
  readonly bytes: number
  readonly requests: number
  readonly total: number
}

async function once(calls: Parameters<typeof instantModel>[0]): Promise<Figures> {
  const model = await instantModel(calls)
  const world = await createWorld({ env: process.env, bundle, seed: { files: { [path]: source } }, users: { alice: 'write' } })
  try {
    const { number } = world.github.openIssue({ title: 'Dates are off by the time zone', body: 'See src/date.js.', author: 'alice' })
    const { id } = world.github.comment(number, 'alice', '/opencode fix the date parsing')
    await world.checkout()
    const memoryFile = join(world.folder, 'memory')
    const before = world.github.journal.length
    const began = performance.now()
    const done = await runAction(world, {
      event: 'issue_comment',
      payload: issueCommentPayload(world.github, id),
      inputs: { model: 'bench/instant', 'base-url': model.baseUrl, 'max-steps': '1000' },
      env: { NODE_OPTIONS: `--import=${preload}`, BENCH_MEMORY_FILE: memoryFile },
    })
    const total = performance.now() - began
    if (done.code !== 0) throw new Error(`the measured run failed:\n${done.stdout}\n${done.stderr}`)
    return {
      start: (model.requests[0]?.arrived ?? Number.NaN) - began,
      steps: model.requests.slice(1).map((request, index) => request.arrived - (model.requests[index]?.answered ?? Number.NaN)),
      memory: Number(await readFile(memoryFile, 'utf8')) / 1024,
      bytes: model.requests[0]?.bytes ?? Number.NaN,
      requests: world.github.journal.slice(before).filter((exchange) => exchange.kind !== 'git').length,
      total,
    }
  } finally {
    await Promise.all([world.close(), model.close()])
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function print(name: string, value: number, unit: string, goal: number): void {
  process.stdout.write(`${name.padEnd(44)}${value.toFixed(unit === '' ? 0 : 1).padStart(9)} ${unit.padEnd(3)} (goal ${goal})\n`)
}

const short = [
  { name: 'read', arguments: { filePath: path } },
  { name: 'edit', arguments: edit },
]
const all: Figures[] = []
for (let round = 0; round < rounds; round++) all.push(await once(short))
process.stdout.write(`Median of ${rounds} runs: issue comment, read, edit, answer; node ${process.versions.node}\n`)
print('process start to first model request', median(all.map((run) => run.start)), 'ms', 300)
print('own time a step', median(all.flatMap((run) => run.steps)), 'ms', 25)
print('peak memory', median(all.map((run) => run.memory)), 'MB', 120)
print('first model request', median(all.map((run) => run.bytes)) / 1000, 'kB', 15)
print('GitHub requests', median(all.map((run) => run.requests)), '', 12)
process.stdout.write(
  `${'whole run, with commit, push and pull request'.padEnd(44)}${median(all.map((run) => run.total))
    .toFixed(1)
    .padStart(9)} ms\n`,
)

// No two calls are the same, or the run would be stopped for going in circles.
const reads = Array.from({ length: longSteps - 1 }, (_, step) => ({
  name: 'read',
  arguments: { filePath: path, offset: (step % 40) + 1, limit: Math.floor(step / 40) + 1 },
}))
const long = await once(reads)
const around = (step: number) => median(long.steps.slice(Math.max(0, step - 6), step + 5)).toFixed(1)
process.stdout.write(
  `${longSteps} steps: ${(long.total / 1000).toFixed(1)} s, ${long.memory.toFixed(0)} MB; own time near step 10: ${around(10)} ms, near step ${longSteps}: ${around(longSteps - 6)} ms\n`,
)
