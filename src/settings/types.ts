/** The inputs of `action.yml`, read and checked. Names follow the inputs, in camel case. */
export interface Settings {
  readonly githubToken: string
  readonly model?: { readonly providerID: string; readonly modelID: string }
  /** For titles; without it the model itself. */
  readonly smallModel?: { readonly providerID: string; readonly modelID: string }
  /** Models that take over when the model fails, in order. */
  readonly fallbackModels: readonly { readonly providerID: string; readonly modelID: string }[]
  /** How hard the model is to think, by a name of its own for it. */
  readonly variant?: string
  readonly apiKey?: string
  readonly baseUrl?: string
  readonly agent?: string
  readonly prompt?: string
  readonly system?: string
  readonly triggers: readonly string[]
  readonly maxSteps: number
  readonly maxCostUsd?: number
  readonly maxTokens?: number
  readonly timeoutMinutes: number
  readonly allowedUsers: readonly string[]
  readonly allowedBots: readonly string[]
  readonly baseBranch?: string
  readonly branchPrefix: string
  readonly commitMethod: 'git' | 'api'
  readonly pullRequest: 'create' | 'draft' | 'link' | 'never'
  /** With `staged` nothing is written to GitHub or a remote: the summary shows what would have been. */
  readonly mode: 'apply' | 'staged'
  readonly progress: 'live' | 'final' | 'none'
  readonly session: 'thread' | 'new'
  readonly sessionKey?: string
  /** The JSON schema that the answer has to follow. */
  readonly outputSchema?: Readonly<Record<string, unknown>>
  /** Number of the issue or pull request that a run without one speaks to. */
  readonly target?: number
  readonly sandbox: 'auto' | 'require' | 'off'
  /** Configuration as JSON, laid over the repository's; `config/` reads it. */
  readonly config?: string
  /** Relative to the workspace; empty means the workspace itself. */
  readonly workingDirectory: string
  /** Whether the requests to the model are written to a file (DECISIONS 19). */
  readonly debugPrompt: boolean
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
  /** Which attempt at this run it is, from 1. */
  readonly attempt: number
  /** A folder outside the workspace that lives as long as the job. */
  readonly temp: string
}
