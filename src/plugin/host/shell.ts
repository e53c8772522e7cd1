import { spawn } from 'node:child_process'

/** What a command of `$` gave. */
interface ShellOutput {
  readonly stdout: Buffer
  readonly stderr: Buffer
  readonly exitCode: number
  text(): string
  json(): unknown
}

/** A command that is about to run; what is set before the next turn of the event loop counts. */
export interface ShellCommand extends Promise<ShellOutput> {
  /** Output is never printed here; kept for plugins that say so. */
  quiet(): ShellCommand
  /** A non-zero exit code is a result, not an error. */
  nothrow(): ShellCommand
  throws(should: boolean): ShellCommand
  cwd(folder: string): ShellCommand
  env(variables: Record<string, string | undefined>): ShellCommand
  text(): Promise<string>
  json(): Promise<unknown>
  lines(): AsyncGenerator<string>
}

export type Shell = (pieces: TemplateStringsArray, ...values: readonly unknown[]) => ShellCommand

class ShellFailure extends Error {
  override readonly name = 'ShellError'
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: Buffer

  constructor(command: string, { exitCode, stdout, stderr }: ShellOutput) {
    super(`${command} ended with code ${exitCode}: ${stderr.toString().trim() || stdout.toString().trim()}`)
    this.exitCode = exitCode
    this.stdout = stdout
    this.stderr = stderr
  }
}

/** A small form of Bun's `$`: runs a template with bash, in `cwd` and with `env` unless the command says otherwise. */
export function shellIn(cwd: string, env: NodeJS.ProcessEnv): Shell {
  return (pieces, ...values) => {
    const command = fill(pieces, values)
    const options = { cwd, env, throws: true }
    // Started late, so that what is chained to the command still counts.
    const running = new Promise<ShellOutput>((resolve, reject) => setImmediate(() => run(command, options).then(resolve, reject)))
    const set = (change: Partial<typeof options>): ShellCommand => {
      Object.assign(options, change)
      return self
    }
    const self: ShellCommand = Object.assign(running, {
      quiet: () => self,
      nothrow: () => set({ throws: false }),
      throws: (should: boolean) => set({ throws: should }),
      cwd: (folder: string) => set({ cwd: folder }),
      env: (variables: NodeJS.ProcessEnv) => set({ env: { ...variables } }),
      text: async () => (await running).text(),
      json: async () => (await running).json(),
      async *lines() {
        yield* (await running).text().replace(/\n$/, '').split('\n')
      },
    })
    return self
  }
}

function run(command: string, { cwd, env, throws }: { cwd: string; env: NodeJS.ProcessEnv; throws: boolean }): Promise<ShellOutput> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.once('error', reject)
    child.once('close', (code) => {
      const stdout = Buffer.concat(out)
      const output: ShellOutput = {
        stdout,
        stderr: Buffer.concat(err),
        exitCode: code ?? 1,
        text: () => stdout.toString(),
        json: () => JSON.parse(stdout.toString()),
      }
      if (throws && output.exitCode !== 0) reject(new ShellFailure(command, output))
      else resolve(output)
    })
  })
}

type Quote = '' | '"' | "'"

/** The command line of a template. Values are words, or parts of words, whatever they hold; lists are several words; `{ raw }` is taken as it is. */
export function fill(pieces: readonly string[], values: readonly unknown[]): string {
  let quote: Quote = ''
  return pieces
    .map((piece, index) => {
      quote = quoteAfter(piece, quote)
      return index < values.length ? piece + written(values[index], quote) : piece
    })
    .join('')
}

function quoteAfter(piece: string, before: Quote): Quote {
  let quote = before
  for (let at = 0; at < piece.length; at++) {
    const char = piece[at]
    if (char === '\\' && quote !== "'") at++
    else if (quote === '' && (char === '"' || char === "'")) quote = char
    else if (char === quote) quote = ''
  }
  return quote
}

function written(value: unknown, quote: Quote): string {
  if (Array.isArray(value)) return value.map((each) => written(each, quote)).join(' ')
  if (typeof value === 'object' && value !== null && 'raw' in value) return String(value.raw)
  const text = String(value)
  if (quote === '"') return text.replaceAll(/["$`\\]/g, '\\$&')
  const single = text.replaceAll("'", `'\\''`)
  return quote === "'" ? single : `'${single}'`
}
