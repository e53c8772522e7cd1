import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { messageOf } from '../failure.ts'
import { cut } from '../text.ts'
import { sentence } from '../tool/foreign.ts'
import { endGroup } from '../workspace/launch.ts'
import { PluginError } from './errors.ts'
import { type Load, type Loaded, type Order, Report } from './protocol.ts'

/** Characters of one line that a plugin prints. */
const LINE = 2_000

export interface ChildOptions {
  /** The script that runs in the child. */
  readonly host: string
  /** Everything the child gets to see. */
  readonly env: Readonly<Record<string, string>>
  readonly load: Load
  /** Time to load, in ms. */
  readonly patience: number
  /** Time between asking the child to end and ending it, and for it to show that it still reacts, in ms. */
  readonly grace: number
  readonly signal: AbortSignal
  readonly log: (text: string) => void
}

/** Something to be done in the child. */
export interface Task {
  readonly order: (id: number) => Extract<Order, { type: 'call' | 'hook' }>
  /** What people call it. */
  readonly what: string
  /** In ms. */
  readonly timeout: number
  readonly signal?: AbortSignal
  readonly metadata?: (update: { title?: string; metadata?: Record<string, unknown> }) => void
  /** Throws when what the tool asks for is not allowed. */
  readonly ask?: (need: { permission: string; patterns: readonly string[] }) => void
}

export interface Done {
  readonly value: unknown
  readonly problems: readonly string[]
}

export interface Child {
  readonly loaded: Loaded
  /** Throws `PluginError` when it fails, takes too long, is aborted, or the child ends. */
  run(task: Task): Promise<Done>
  /** Ends the child and everything it started. */
  close(): Promise<void>
  /** Settles with how the child ended, when it has. */
  readonly ended: Promise<string>
}

interface Open {
  readonly task: Task
  resolve(done: Done): void
  reject(error: PluginError): void
  /** Stops the wait for a sign of life. */
  alive?: () => void
}

/** Node's options for the child: all of TypeScript's syntax, and no warnings about it. Older versions don't know them and can't run TypeScript. */
const nodeOptions = ['--experimental-transform-types', '--disable-warning=ExperimentalWarning', '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON']
const known = nodeOptions.filter((option) => process.allowedNodeEnvironmentFlags.has(option.split('=')[0] ?? option))

/** Starts the child and loads the modules. Throws `PluginError` when it ends or hangs meanwhile. */
export async function startChild({ host, env, load, patience, grace, signal, log }: ChildOptions): Promise<Child> {
  const child = spawn(process.execPath, [...known, host], { cwd: load.directory, env: { ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const open = new Map<number, Open>()
  const loading = Promise.withResolvers<Loaded>()
  const ending = Promise.withResolvers<string>()
  let count = 0

  const send = (order: Order) => {
    // A channel that closes meanwhile shows as the child's end.
    if (child.connected) child.send(order, () => undefined)
  }
  const end = (how: string) => {
    const error = new PluginError(`The process of the plugins and custom tools ended: ${how}.`, 'It is started again for the next call.')
    loading.reject(error)
    for (const each of open.values()) each.reject(error)
    open.clear()
    ending.resolve(how)
  }
  const close = async () => {
    if (child.pid !== undefined) await endGroup(child.pid, grace)
    await ending.promise
  }
  child.once('error', (error) => end(messageOf(error)))
  child.once('exit', (code, signal) => {
    end(signal ? `ended by ${signal}` : `exit code ${code}`)
    // What it started would outlive it.
    if (child.pid !== undefined) void endGroup(child.pid, grace)
  })
  child.on('message', (message) => {
    const report = Report.safeParse(message)
    // Plugins can reach the channel too; what is no report of ours means nothing.
    if (report.success) hear(report.data)
  })
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', (line) => log(cut(line, LINE)))

  const hear = (report: Report) => {
    switch (report.type) {
      case 'loaded':
        return loading.resolve(report)
      case 'log':
        return log(cut(report.text, LINE))
      case 'aborted':
        return open.get(report.id)?.alive?.()
    }
    const { task, resolve, reject } = open.get(report.id) ?? {}
    if (!task) return
    switch (report.type) {
      case 'done':
        return resolve?.({ value: report.value, problems: report.problems ?? [] })
      case 'failed':
        return reject?.(new PluginError(sentence(report.message), 'Change the call, or find another way.'))
      case 'metadata': {
        const { title, metadata } = report
        return task.metadata?.({ ...(title === undefined ? {} : { title }), ...(metadata ? { metadata } : {}) })
      }
      case 'ask':
        return send({ type: 'asked', ask: report.ask, ...refusalOf(task, report) })
    }
  }

  const run = (task: Task): Promise<Done> => {
    const id = ++count
    const { promise, resolve, reject } = Promise.withResolvers<Done>()
    const stop = (reason: string) => {
      // A child that is busy for ever cannot be asked to stop; whoever calls next must not meet it.
      const timer = setTimeout(() => child.kill('SIGKILL'), grace)
      const over = () => {
        clearTimeout(timer)
        reject(new PluginError(`${task.what} ${reason}.`, 'Go on without it, or ask for less at once.'))
      }
      open.set(id, { task, resolve: over, reject: over, alive: over })
      send({ type: 'abort', id })
    }
    const late = setTimeout(() => stop(`did not end within ${task.timeout} ms`), task.timeout)
    const onAbort = () => stop('was stopped with the run')
    open.set(id, { task, resolve, reject })
    task.signal?.addEventListener('abort', onAbort, { once: true })
    if (child.connected) send(task.order(id))
    else reject(new PluginError('The process of the plugins and custom tools has ended.', 'Call again.'))
    if (task.signal?.aborted) onAbort()
    return promise.finally(() => {
      clearTimeout(late)
      task.signal?.removeEventListener('abort', onAbort)
      open.delete(id)
    })
  }

  const slow = setTimeout(
    () => loading.reject(new PluginError(`They did not load within ${patience} ms.`, 'Do less when a plugin starts, or when a module is imported.')),
    patience,
  )
  const onAbort = () => loading.reject(new PluginError('The run was stopped while they loaded.', 'Start it again.'))
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  send(load)
  try {
    return { loaded: await loading.promise, run, close, ended: ending.promise }
  } catch (error) {
    await close()
    throw error
  } finally {
    clearTimeout(slow)
    signal.removeEventListener('abort', onAbort)
  }
}

function refusalOf({ ask }: Task, need: { permission: string; patterns: readonly string[] }): { refusal?: string } {
  if (!ask) return { refusal: 'Nobody can be asked here.' }
  try {
    ask(need)
    return {}
  } catch (error) {
    return { refusal: messageOf(error) }
  }
}
