import './older-node.ts'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf } from './failure.ts'
import { unpack } from './packed.ts'
import { cleanUp } from './post.ts'
import { textsOf } from './prompt/texts.ts'
import { secretsIn } from './report/env-secrets.ts'
import { createLog, type Log } from './report/log.ts'
import { createRedactor } from './report/redact.ts'
import { pairFor } from './report/runner-files.ts'
import { asFailure, refused } from './run/conclude.ts'
import type { Result, World } from './run/job.ts'
import { run } from './run.ts'

/** The entry of the action, of its clean-up step, and of the demo on one's own machine: builds the real world and ends the process. */
async function main(): Promise<number> {
  const assets = dirname(process.argv[1] ?? '')
  if (process.argv[2] === 'start') return startDemo(assets)
  const redactor = createRedactor(secretsIn(process.env))
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
    texts: textsOf(join(assets, 'prompts')),
    assets,
    log,
    redactor,
    signal: cancel.signal,
    remember: (name, value) => hand(log, 'GITHUB_STATE', pairFor(name, value)),
  }
  world.remember('main', 'started')
  const result = await run(world).catch((error: unknown) => refused(asFailure(error, log)))
  announce(log, result)
  const outputs = { conclusion: result.conclusion, reason: result.reason, ...result.outputs }
  for (const [name, value] of Object.entries(outputs)) hand(log, 'GITHUB_OUTPUT', pairFor(name, redactor.redact(value)))
  hand(log, 'GITHUB_STEP_SUMMARY', redactor.redact(result.summary))
  return result.conclusion === 'failure' || result.conclusion === 'cancelled' ? 1 : 0
}

/** The demo brings a GitHub and a model of its own, which the action never loads. */
async function startDemo(assets: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'opencode-demo-'))
  try {
    const entry = pathToFileURL(unpack(join(assets, 'demo.br'), folder)).href
    const demo: typeof import('./local/start.ts') = await import(/* webpackIgnore: true */ entry)
    return await demo.main(process.argv.slice(3), process.env)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Hands something to the runner through the file it names in a variable. Where that can't be written, the log says so and the run goes on. */
function hand(log: Log, variable: 'GITHUB_OUTPUT' | 'GITHUB_STATE' | 'GITHUB_STEP_SUMMARY', text: string): void {
  const file = process.env[variable]
  try {
    if (file) appendFileSync(file, text)
  } catch (error) {
    log.warning(`The file of ${variable} could not be written: ${messageOf(error)}`)
  }
}

function announce(log: Log, { conclusion, reason }: Result): void {
  if (conclusion === 'failure' || conclusion === 'cancelled') log.error(reason, `opencode: ${conclusion}`)
  else if (conclusion === 'skipped') log.notice(reason, 'opencode: nothing to do')
  else log.info(reason)
}

process.exit(await main())
