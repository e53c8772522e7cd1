import { appendFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure, messageOf } from './failure.ts'
import { cleanUp } from './post.ts'
import { textsOf } from './prompt/texts.ts'
import { createLog, type Log } from './report/log.ts'
import { createRedactor } from './report/redact.ts'
import { pairFor } from './report/runner-files.ts'
import { refused } from './run/conclude.ts'
import type { Result, World } from './run/job.ts'
import { run } from './run.ts'

/** The entry of the action, of its clean-up step, and of the demo on one's own machine: builds the real world and ends the process. */
async function main(): Promise<number> {
  if (process.argv[2] === 'start') {
    const demo = await import('./local/start.ts')
    return demo.main(process.argv.slice(3), process.env)
  }
  const redactor = createRedactor([])
  // The SDK's own warnings would go to the log without passing the one writer.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const log = createLog((line) => process.stdout.write(`${line}\n`), redactor)
  if (process.env.STATE_main) {
    await cleanUp({ env: process.env, log, redactor })
    return 0
  }

  const cancel = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => cancel.abort())
  const world: World = {
    env: process.env,
    texts: textsOf(join(dirname(process.argv[1] ?? ''), 'prompts')),
    log,
    redactor,
    signal: cancel.signal,
    remember: (name, value) => hand('GITHUB_STATE', pairFor(name, value)),
  }
  world.remember('main', 'started')
  const result = await run(world).catch((error: unknown) => refusedBy(error, log))
  announce(log, result)
  const outputs = { conclusion: result.conclusion, reason: redactor.redact(result.reason), ...result.outputs }
  for (const [name, value] of Object.entries(outputs)) hand('GITHUB_OUTPUT', pairFor(name, value))
  hand('GITHUB_STEP_SUMMARY', result.summary)
  return result.conclusion === 'success' || result.conclusion === 'skipped' ? 0 : 1
}

/** Hands something to the runner through the file it names in a variable. */
function hand(variable: 'GITHUB_OUTPUT' | 'GITHUB_STATE' | 'GITHUB_STEP_SUMMARY', text: string): void {
  const file = process.env[variable]
  if (file) appendFileSync(file, text)
}

function announce(log: Log, { conclusion, reason }: Result): void {
  if (conclusion === 'failure' || conclusion === 'cancelled') log.error(reason, `opencode: ${conclusion}`)
  else if (conclusion === 'skipped') log.notice(reason, 'opencode: nothing to do')
  else log.info(reason)
}

/** A failure before anybody was told to wait. What was not foreseen is a fault of ours: the log gets its stack, people get a sentence. */
function refusedBy(error: unknown, log: Log): Result {
  if (error instanceof Failure) return refused(error)
  if (error instanceof Error && error.stack) log.info(error.stack)
  return refused(
    new Failure(`opencode-action met a fault of its own: ${messageOf(error)}.`, 'Please open an issue of opencode-action with the log of this run.'),
  )
}

process.exit(await main())
