import { z } from 'zod'
import { SettingsError } from './errors.ts'
import type { Runner } from './types.ts'

const set = z.string('is not set').min(1, { error: 'is not set', abort: true })
const address = set
  .refine((value) => /^https?:\/\/[^/]/.test(value) && URL.canParse(value), 'is not an http or https address')
  .transform((value) => value.replace(/\/+$/, ''))

const schema = z.object({
  GITHUB_EVENT_NAME: set,
  // Left empty when unset: reading the event's file says so, and names the event with it (C13).
  GITHUB_EVENT_PATH: z.string().default(''),
  GITHUB_WORKSPACE: set,
  GITHUB_REPOSITORY: set.regex(/^[^/\s]+\/[^/\s]+$/, 'does not have the form owner/name'),
  GITHUB_SERVER_URL: address,
  GITHUB_API_URL: address,
  GITHUB_GRAPHQL_URL: address,
  GITHUB_RUN_ID: set,
  GITHUB_RUN_ATTEMPT: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/, 'is not a whole number above 0')
    .default('1')
    .transform(Number),
  RUNNER_TEMP: set,
})

/**
 * What the runner says about this run. Every address comes from the environment, port and path prefix included, so that GitHub Enterprise
 * Server works (C166); the workspace is `GITHUB_WORKSPACE`, never the process's own folder (C168).
 * Throws one `SettingsError` that names every variable that is missing or malformed.
 */
export function readRunner(env: Readonly<Record<string, string | undefined>>): Runner {
  const result = schema.safeParse(env)
  if (!result.success) {
    const faults = new Map(result.error.issues.map((issue) => [String(issue.path[0]), issue.message]))
    throw new SettingsError(
      `The runner's environment is incomplete: ${[...faults].map(([name, fault]) => `${name} ${fault}`).join('; ')}.`,
      'Run this as a step of a GitHub Actions job; `npm start` emulates one on your own machine.',
    )
  }
  const read = result.data
  const slash = read.GITHUB_REPOSITORY.indexOf('/')
  return {
    eventName: read.GITHUB_EVENT_NAME,
    eventPath: read.GITHUB_EVENT_PATH,
    workspace: read.GITHUB_WORKSPACE,
    owner: read.GITHUB_REPOSITORY.slice(0, slash),
    repo: read.GITHUB_REPOSITORY.slice(slash + 1),
    serverUrl: read.GITHUB_SERVER_URL,
    apiUrl: read.GITHUB_API_URL,
    graphqlUrl: read.GITHUB_GRAPHQL_URL,
    runId: read.GITHUB_RUN_ID,
    runUrl: `${read.GITHUB_SERVER_URL}/${read.GITHUB_REPOSITORY}/actions/runs/${read.GITHUB_RUN_ID}`,
    attempt: read.GITHUB_RUN_ATTEMPT,
    temp: read.RUNNER_TEMP,
  }
}
