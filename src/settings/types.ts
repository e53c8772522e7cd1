/** The inputs of `action.yml`, read and checked. Names follow the inputs, in camel case. */
export interface Settings {
  readonly githubToken: string
  readonly model?: { readonly providerID: string; readonly modelID: string }
  readonly apiKey?: string
  readonly baseUrl?: string
  readonly agent: string
  readonly prompt?: string
  readonly system?: string
  readonly triggers: readonly string[]
  readonly maxSteps: number
  readonly timeoutMinutes: number
  readonly allowedUsers: readonly string[]
  readonly allowedBots: readonly string[]
  readonly baseBranch?: string
  readonly branchPrefix: string
  readonly session: 'thread' | 'new'
  readonly sessionKey?: string
  /** Relative to the workspace; empty means the workspace itself. */
  readonly workingDirectory: string
}

/** What the runner says about this run (`GITHUB_*`, `RUNNER_*`). */
export interface Runner {
  readonly eventName: string
  readonly eventPath: string
  readonly workspace: string
  readonly owner: string
  readonly repo: string
  readonly serverUrl: string
  readonly apiUrl: string
  readonly graphqlUrl: string
  readonly runId: string
  readonly runUrl: string
  /** A folder outside the workspace that lives as long as the job. */
  readonly temp: string
}
