import { z } from 'zod'
import { SettingsError } from './errors.ts'
import { type Input, type InputName, inputs } from './inputs.ts'
import {
  address,
  amount,
  boolean,
  bots,
  branch,
  branchPrefix,
  choice,
  count,
  folder,
  jsonSchema,
  model,
  models,
  positive,
  required,
  text,
  triggers,
  users,
} from './parse.ts'
import type { Settings } from './types.ts'

/** A job on a runner of one's own may take five days; timers overflow past 24. */
const longestMinutes = 5 * 24 * 60

const schema = z.object({
  'github-token': required,
  model,
  'small-model': model,
  'fallback-models': models,
  variant: text,
  'api-key': text,
  'base-url': address,
  agent: text,
  prompt: text,
  system: text,
  triggers,
  'max-steps': positive(Number.MAX_SAFE_INTEGER),
  'max-cost-usd': amount,
  'max-tokens': count,
  'timeout-minutes': positive(longestMinutes),
  'allowed-users': users,
  'allowed-bots': bots,
  'base-branch': branch,
  'branch-prefix': branchPrefix,
  'commit-method': choice(['git', 'api']),
  'pull-request': choice(['create', 'draft', 'link', 'never']),
  mode: choice(['apply', 'staged']),
  progress: choice(['live', 'final', 'none']),
  session: choice(['thread', 'new']),
  'session-key': text,
  'output-schema': jsonSchema,
  target: count,
  config: text,
  sandbox: choice(['auto', 'require', 'off']),
  'working-directory': folder,
  'debug-prompt': boolean,
} satisfies Record<InputName, z.ZodType>)

/**
 * The inputs as the runner hands them over: `INPUT_` and the name in upper case, hyphens kept. Empty means not given (C165).
 * Throws one `SettingsError` that names every wrong input, its value and what it may be; values of secrets are left out.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given = new Map(Object.entries(inputs).map(([name, input]) => [name, textOf(env, name, input)]))
  const result = schema.safeParse(Object.fromEntries(given))
  if (!result.success) throw wrong(result.error.issues, given)
  const read = result.data
  return {
    githubToken: read['github-token'],
    ...(read.model && { model: read.model }),
    ...(read['small-model'] && { smallModel: read['small-model'] }),
    fallbackModels: read['fallback-models'],
    ...(read.variant && { variant: read.variant }),
    ...(read['api-key'] && { apiKey: read['api-key'] }),
    ...(read['base-url'] && { baseUrl: read['base-url'] }),
    ...(read.agent && { agent: read.agent }),
    ...(read.prompt && { prompt: read.prompt }),
    ...(read.system && { system: read.system }),
    triggers: read.triggers,
    maxSteps: read['max-steps'],
    ...(read['max-cost-usd'] && { maxCostUsd: read['max-cost-usd'] }),
    ...(read['max-tokens'] && { maxTokens: read['max-tokens'] }),
    timeoutMinutes: read['timeout-minutes'],
    allowedUsers: read['allowed-users'],
    allowedBots: read['allowed-bots'],
    ...(read['base-branch'] && { baseBranch: read['base-branch'] }),
    branchPrefix: read['branch-prefix'],
    commitMethod: read['commit-method'],
    pullRequest: read['pull-request'],
    mode: read.mode,
    progress: read.progress,
    session: read.session,
    ...(read['session-key'] && { sessionKey: read['session-key'] }),
    ...(read['output-schema'] && { outputSchema: read['output-schema'] }),
    ...(read.target && { target: read.target }),
    sandbox: read.sandbox,
    ...(read.config && { config: read.config }),
    workingDirectory: read['working-directory'],
    debugPrompt: read['debug-prompt'],
  }
}

/** The default of `github-token` is an expression that only the runner can fill in. */
function textOf(env: Readonly<Record<string, string | undefined>>, name: string, input: Input): string {
  const value = env[`INPUT_${name.toUpperCase()}`]?.trim()
  if (value) return value
  return input.default.startsWith('${{') ? '' : input.default
}

function wrong(issues: readonly z.core.$ZodIssue[], given: ReadonlyMap<string, string>): SettingsError {
  const faults = new Map<string, string>()
  for (const issue of issues) {
    const name = String(issue.path[0])
    const secret = Object.entries<Input>(inputs).some(([key, input]) => key === name && input.secret)
    const value = secret || !given.get(name) ? '' : ` is ${quoted(given.get(name) ?? '')} and`
    faults.set(name, faults.get(name) ?? `${name}${value} ${issue.message}`)
  }
  const lines = [...faults.values()]
  const message = lines.length === 1 ? `The input ${lines[0]}.` : `${lines.length} inputs are wrong:\n${lines.map((line) => `- ${line}`).join('\n')}`
  return new SettingsError(message, 'Correct the value under `with:` in the workflow file; the README lists every input and what it may be.')
}

/** A value as it may be shown: short, on one line, and without the password of an address. */
function quoted(value: string): string {
  const shown = value.replaceAll(/\/\/[^/@\s]*@/g, '//***@')
  return JSON.stringify(shown.length > 100 ? `${shown.slice(0, 100)}…` : shown)
}
