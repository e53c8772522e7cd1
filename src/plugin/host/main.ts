import { messageOf } from '../../failure.ts'
import { guards, type Load, Order, type Report } from '../protocol.ts'
import { type Inventory, loadAll } from './load.ts'
import { resolveModules } from './modules.ts'
import { shellIn } from './shell.ts'
import { shims } from './shims.ts'

/**
 * The child process that holds the repository's plugins and custom tools: nothing of theirs ever runs in the process that has the keys. It
 * speaks over Node's IPC channel and ends when that closes.
 */

const calls = new Map<number, AbortController>()
const questions = new Map<number, { resolve(): void; reject(error: Error): void }>()
let asked = 0
let stage: { readonly load: Load; readonly inventory: Inventory } | undefined

const send = (report: Report): void => void process.send?.(report)
const log = (text: string): void => send({ type: 'log', text })

async function load(order: Load): Promise<void> {
  const $ = shellIn(order.directory, process.env)
  resolveModules(order.root, order.worktree, shims($, process.env))
  const inventory = await loadAll(order, { $, log })
  stage = { load: order, inventory }
  const tools = [...inventory.tools.values()].map(({ id, shown, description, schema }) => ({ id, shown, description, schema }))
  send({ type: 'loaded', tools, hooks: [...inventory.hooks.keys()], problems: [...inventory.problems] })
}

async function call({ id, tool, input, caller }: Extract<Order, { type: 'call' }>, abort: AbortSignal): Promise<Report> {
  const found = stage?.inventory.tools.get(tool)
  if (!stage || !found) throw new Error(`There is no tool ${tool}.`)
  const value = await found.run(input, {
    ...caller,
    directory: stage.load.directory,
    worktree: stage.load.worktree,
    abort,
    metadata: ({ title, metadata }) => send({ type: 'metadata', id, ...(title === undefined ? {} : { title }), ...(metadata ? { metadata } : {}) }),
    ask: ({ permission, patterns }) => {
      const ask = ++asked
      return new Promise((resolve, reject) => {
        questions.set(ask, { resolve, reject })
        send({ type: 'ask', id, ask, permission, patterns })
      })
    },
  })
  return { type: 'done', id, value }
}

/** Runs the hooks of a place one after the other on the same output. The first guard that throws has refused; of others the failure is told. */
async function hook({ id, name, input, output }: Extract<Order, { type: 'hook' }>): Promise<Report> {
  const problems: string[] = []
  for (const { plugin, run } of stage?.inventory.hooks.get(name) ?? []) {
    try {
      await run(input, output)
    } catch (error) {
      if (guards.has(name)) throw error
      problems.push(`The hook ${name} of ${plugin} failed: ${messageOf(error)}`)
    }
  }
  return { type: 'done', id, value: output, problems }
}

async function answer(id: number, work: (abort: AbortSignal) => Promise<Report>): Promise<void> {
  const abort = new AbortController()
  calls.set(id, abort)
  try {
    send(await work(abort.signal))
  } catch (error) {
    send({ type: 'failed', id, message: messageOf(error) })
  } finally {
    calls.delete(id)
  }
}

async function obey(order: Order): Promise<void> {
  switch (order.type) {
    case 'load':
      return load(order)
    case 'call':
      return answer(order.id, (abort) => call(order, abort))
    case 'hook':
      return answer(order.id, () => hook(order))
    case 'abort':
      calls.get(order.id)?.abort()
      return send({ type: 'aborted', id: order.id })
    case 'asked': {
      const question = questions.get(order.ask)
      questions.delete(order.ask)
      return order.refusal === undefined ? question?.resolve() : question?.reject(new Error(order.refusal))
    }
  }
}

process.on('message', (message) => void obey(Order.parse(message)))
process.on('disconnect', () => process.exit(0))
// A promise nobody waited for is a plugin's slip, no reason to lose the tools of the others.
process.on('unhandledRejection', (error) => log(`A plugin left a failure unanswered: ${messageOf(error)}`))
