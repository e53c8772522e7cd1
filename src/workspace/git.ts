import { GitPluginError, type SimpleGitOptions, simpleGit } from 'simple-git'
import { limits } from '../limits.ts'
import { WorkspaceError } from './errors.ts'
import { trustedPath } from './programs.ts'
import type { Identity } from './types.ts'

/** Settings for one command, laid over every configuration file through the environment (never argv, never a file). */
export type GitConfig = readonly (readonly [key: string, value: string])[]

export interface GitOptions {
  /** Variables such as `GIT_DIR`; laid over the neutral environment. */
  readonly environment?: Readonly<Record<string, string>>
  readonly config?: GitConfig
  readonly input?: Buffer | string
  /** Exit codes that are an answer and not a failure; 0 when not given. */
  readonly accept?: readonly number[]
}

export interface GitResult {
  readonly code: number
  /** Bytes: file names and blobs need not be UTF-8. */
  readonly stdout: Buffer
  /** Git's words, secrets taken out. */
  readonly stderr: string
}

export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitResult>

/** Variables git may inherit: scratch space, the way out through a proxy, trusted certificates (C120: never the whole environment). */
const inherited = [
  'TMPDIR',
  'TMP',
  'TEMP',
  'SYSTEMROOT',
  'PATHEXT',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
]

/** Over every configuration file: no hooks (C113), readable names, and no housekeeping, which from a git directory that only borrows its objects would throw them away. */
const overrides: GitConfig = [
  ['core.hooksPath', '/dev/null'],
  ['core.quotePath', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
]

/**
 * simple-git's guard against untrusted settings matches by substring, so that the address of a repository named `alias-tools` would trip it.
 * All arguments and settings here are ours, so every category is open.
 */
const unsafe = {
  allowUnsafeAlias: true,
  allowUnsafeAskPass: true,
  allowUnsafeCommandBinaries: true,
  allowUnsafeConfigEnvCount: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeCredentialHelper: true,
  allowUnsafeDiffExternal: true,
  allowUnsafeDiffTextConv: true,
  allowUnsafeEditor: true,
  allowUnsafeFilter: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeGitProxy: true,
  allowUnsafeGpgProgram: true,
  allowUnsafeHooksPath: true,
  allowUnsafeInclude: true,
  allowUnsafeMergeDriver: true,
  allowUnsafePack: true,
  allowUnsafePager: true,
  allowUnsafeProtocolOverride: true,
  allowUnsafeSshCommand: true,
  allowUnsafeSubmodule: true,
  allowUnsafeTemplateDir: true,
  allowUnsafeUrlRewrite: true,
} satisfies SimpleGitOptions['unsafe']

/**
 * The one way this action runs git: argument arrays (C119), an environment of a few known variables (C120), an empty home, no system or global
 * configuration, our identity (C114), no prompts, English words, and a time limit (C118).
 * The function it returns throws `WorkspaceError` when git fails, cannot be started or takes longer than `timeout` ms.
 */
export function createGit(options: {
  readonly cwd: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whose commits they are; asked at every command, since it may become known later than the repository. */
  readonly identity: () => Identity
  readonly secrets: readonly string[]
  readonly timeout?: number
}): Git {
  const timeout = options.timeout ?? limits.gitTimeout
  const neutral = {
    ...pick(options.env, inherited),
    PATH: trustedPath(options.env),
    HOME: options.home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'http:https',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
  }
  const redact = (text: string) => options.secrets.filter(Boolean).reduce((rest, secret) => rest.replaceAll(secret, '***'), text)

  return async (args, { environment = {}, config = [], input, accept = [0] } = {}) => {
    const { name: who, email } = options.identity()
    const signed = { GIT_AUTHOR_NAME: who, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: who, GIT_COMMITTER_EMAIL: email }
    const env = { ...neutral, ...signed, ...environment, ...configEnvironment([...overrides, ...config]) }
    const name = `git ${args[0]}`
    let ended: GitResult | undefined
    let late = false
    const runner = simpleGit({
      baseDir: options.cwd,
      allowEnvironment: Object.keys(env),
      unsafe,
      timeout: { block: timeout, stdOut: false, stdErr: false },
      // A helper that outlives git may hold the pipes open, so the end of git itself counts too, a while later.
      completion: { onClose: true, onExit: 2_000 },
      input: () => input,
      errors(error, result) {
        late = error instanceof GitPluginError && error.plugin === 'timeout'
        ended = { code: result.exitCode, stdout: Buffer.concat(result.stdOut), stderr: redact(Buffer.concat(result.stdErr).toString()) }
        return undefined
      },
    }).env(env)
    // simple-git waits 50 ms more for a command that printed nothing; `close` comes after all output, so an empty chunk spares that.
    runner.outputHandler((_command, stdout) => queueMicrotask(() => stdout.emit('data', Buffer.alloc(0))))
    await runner.raw([...args])
    if (late) {
      throw new WorkspaceError(
        `${name} did not end within ${timeout / 1_000} seconds and was stopped`,
        'Check that the git server answers without asking for a password, then run again.',
      )
    }
    if (ended === undefined || ended.code < 0) {
      throw new WorkspaceError('git could not be started', 'Install git on the runner and make sure it is on the PATH.')
    }
    if (!accept.includes(ended.code)) {
      throw new WorkspaceError(
        `${name} failed with exit code ${ended.code}: ${lastWords(ended.stderr)}`,
        'The workspace was left as it is. If the checkout itself is damaged, check the repository out again.',
      )
    }
    return ended
  }
}

/** What git said, as one line for people: `error:` and `fatal:` lines when there are any, without hints. */
export function lastWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const telling = lines.filter((line) => /^(error|fatal|remote): /.test(line))
  return (telling.length > 0 ? telling : lines).map((line) => line.trim()).join('; ') || 'git said nothing'
}

/** Records of `-z` output, byte for byte (latin1), so that a name that isn't UTF-8 survives the way back into git. */
export function records(stdout: Buffer): string[] {
  return stdout.toString('latin1').split('\0').slice(0, -1)
}

/** A name from `records` as people and JSON write it. */
export function readable(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8')
}

function configEnvironment(config: GitConfig): Record<string, string> {
  const pairs = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(config.length), ...Object.fromEntries(pairs) }
}

function pick(env: Readonly<Record<string, string | undefined>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}
