import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { Failure, messageOf } from '../failure.ts'
import { limits } from '../limits.ts'
import { directLauncher, type Launcher, type Order, type Running } from './launch.ts'
import { type Person, quote, setupScript, type Walls } from './sandbox-script.ts'
import { ShellError } from './shell-error.ts'

/** The machine does not permit what the input `sandbox` requires. */
export class SandboxError extends Failure {
  override readonly name = 'SandboxError'
}

export interface Sandbox {
  readonly launcher: Launcher
  /** What keeps commands apart from the rest of the machine, for people. */
  readonly level: string
}

interface SandboxOptions {
  readonly mode: 'auto' | 'require' | 'off'
  readonly walls: Walls
  /** For files of the sandbox's own. */
  readonly folder: string
  readonly path: string
  /** Who we are; on systems without numbers for that there is no sandbox. */
  readonly person: Person | undefined
}

/** A way to get namespaces of one's own. */
interface Way {
  readonly name: string
  readonly command: readonly string[]
  readonly person?: Person
  readonly whole: boolean
}

const spaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--propagation', 'private']
/** Time the set-up may take, in ms; it takes some ten. */
const patience = 10_000

/**
 * Prepares where commands run: in PID and mount namespaces of their own, without privileges and without the hidden files, so that no command can look
 * into this process or the runner (C140, C150). One pair of namespaces serves the whole run: what one command left in the background is there for
 * the next, and ends with the sandbox, however it hides. Where the machine does not permit it, `auto` goes on without, saying so, and `require`
 * throws `SandboxError`.
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  if (options.mode === 'off') return { launcher: directLauncher(), level: 'none: switched off by the input `sandbox`' }
  const reasons: string[] = []
  for (const way of waysFor(options.person)) {
    try {
      return { launcher: await enter(way, options), level: `commands run in a process namespace of their own, without privileges (set up as ${way.name})` }
    } catch (error) {
      reasons.push(`as ${way.name}: ${messageOf(error)}`)
    }
  }
  const why = reasons.length > 0 ? reasons.join('; ') : `${process.platform} has no namespaces`
  if (options.mode === 'require') {
    throw new SandboxError(
      `The input \`sandbox\` requires that commands run apart from this process, and this machine does not permit it (${why}).`,
      'Use a Linux runner where util-linux may make namespaces (root, passwordless sudo, or user namespaces), or set `sandbox: auto`.',
    )
  }
  return { launcher: directLauncher(), level: `none: commands run beside this process, because the machine does not permit otherwise (${why})` }
}

function waysFor(person: Person | undefined): readonly Way[] {
  if (process.platform !== 'linux' || !person) return []
  if (person.uid === 0) return [{ name: 'root', command: ['unshare', ...spaces], whole: true }]
  return [
    { name: 'root by sudo', command: ['sudo', '-n', 'unshare', ...spaces], person, whole: false },
    { name: 'the owner of a user namespace', command: ['unshare', '--user', '--map-current-user', '--keep-caps', ...spaces], whole: false },
  ]
}

async function enter(way: Way, { walls, folder, path }: SandboxOptions): Promise<Launcher> {
  mkdirSync(folder, { recursive: true })
  const script = setupScript({ walls, person: way.person, whole: way.whole, folder })
  const [program = '', ...args] = [...way.command, 'sh', '-c', script]
  const child = spawn(program, args, { cwd: '/', env: { PATH: path, LC_ALL: 'C' }, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const starter = talkTo(child)
  await starter.ready
  return launcherOf(starter, folder)
}

interface Starter {
  /** Settles when commands can be started. Throws with the reason when the set-up failed. */
  readonly ready: Promise<void>
  say(line: string): void
  /** The next answer of a kind about a command; rejected when the sandbox ends. */
  hear(kinds: readonly string[], id: string): Promise<readonly string[]>
  close(): Promise<void>
}

function talkTo(child: ChildProcess): Starter {
  const waiting = new Map<string, (words: readonly string[]) => void>()
  const { promise: ready, resolve: isReady, reject: failed } = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const over = Promise.withResolvers<never>()
  over.promise.catch(() => undefined)
  const words: string[] = []
  const timer = setTimeout(() => child.kill('SIGKILL'), patience)

  const stop = (why: string) => {
    clearTimeout(timer)
    failed(new Error(why))
    over.reject(new ShellError(`The sandbox of the commands has ended: ${why}.`, 'Run no more commands.'))
    end.resolve()
  }
  child.once('error', (error) => stop(messageOf(error)))
  child.once('exit', (code) => stop(words.join(' ') || `exit code ${code ?? 'unknown'}`))
  child.stdin?.on('error', () => undefined)
  if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => words.splice(3, words.length, line.trim()))
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') {
        clearTimeout(timer)
        return isReady()
      }
      const said = line.split(' ')
      const name = said.slice(0, 2).join(' ')
      const answer = waiting.get(name)
      waiting.delete(name)
      answer?.(said)
    })
  }
  return {
    ready,
    say: (line) => void child.stdin?.write(`${line}\n`),
    hear: (kinds, id) => {
      const heard = new Promise<readonly string[]>((resolve) => {
        for (const kind of kinds) waiting.set(`${kind} ${id}`, resolve)
      })
      return Promise.race([heard, over.promise])
    },
    async close() {
      child.stdin?.end()
      await end.promise
    },
  }
}

function launcherOf(starter: Starter, folder: string): Launcher {
  return {
    async start(order) {
      const id = randomUUID()
      const { group, ended } = await begin(order, id, starter, folder)
      return { ended, stop: () => stopGroup(starter, `${id}s`, group) }
    },
    close: starter.close,
  }
}

async function begin(
  { program, args, cwd, env, output }: Order,
  id: string,
  starter: Starter,
  folder: string,
): Promise<{ group: string; ended: Running['ended'] }> {
  const script = join(folder, `start_${id}.sh`)
  const variables = Object.entries(env).map(([name, value]) => quote(`${name}=${value}`))
  const command = ['exec', 'env', '-i', ...variables, quote(program), ...args.map(quote)].join(' ')
  writeFileSync(script, [`exec >${quote(output.path)} 2>&1`, `cd ${quote(cwd)} || exit 126`, command].join('\n'), { mode: 0o600, flag: 'wx' })
  const began = starter.hear(['began'], id)
  const ended = starter.hear(['ended'], id)
  ended.catch(() => undefined)
  starter.say(`run ${id}`)
  const [, , group = ''] = await began
  return {
    group,
    ended: ended.then(([, , code]) => {
      rmSync(script, { force: true })
      return { code: Number(code), signal: undefined }
    }),
  }
}

/** TERM to a process group, KILL after the grace time in ms (C70). */
async function stopGroup(starter: Starter, id: string, group: string): Promise<void> {
  const tell = async (verb: string) => {
    const answer = starter.hear(['alive', 'gone'], id)
    starter.say(`${verb} ${id} ${group}`)
    return (await answer)[0]
  }
  let state = await tell('end')
  for (let waited = 0; state === 'alive' && waited < limits.shellKillAfter; waited += 50) {
    await delay(50)
    state = await tell('ask')
  }
  if (state === 'alive') await tell('kill')
}
