/** What the world is told about an input. How it is read stands in `read.ts`, under the same name. */
export interface Input {
  readonly default: string
  readonly description: string
  /** Its value never appears in a message. */
  readonly secret?: true
}

/**
 * Every input of the contract, in the order people meet them.
 * `action.yml` and the table in README.md repeat this; `test/contract.test.ts` holds the three together.
 */
export const inputs = {
  'github-token': {
    default: `\${{ github.token }}`,
    description: 'Token that reads the thread, pushes the branch, opens the pull request and answers.',
    secret: true,
  },
  model: {
    default: '',
    description: 'Model to use, as `provider/model`, for example `anthropic/claude-sonnet-4-5`. Empty: the first provider whose key is set.',
  },
  'small-model': {
    default: '',
    description:
      'Model for titles, as `provider/model`. Empty: the model itself. Its key is `api-key` where the provider is the same, else the variable of its provider.',
  },
  'fallback-models': {
    default: '',
    description:
      'Models that take over, in this order, when the one in use fails for good, as a list of `provider/model`. Their keys are found as that of `small-model`.',
  },
  variant: {
    default: '',
    description:
      'How hard the model thinks, in its own words, such as `low`, `high` or `max`; an unknown word is an error that lists those it has. Empty: the default.',
  },
  'api-key': {
    default: '',
    description: "Key for the provider of `model`. Empty: the provider's own environment variable, such as `OPENAI_API_KEY`.",
    secret: true,
  },
  'base-url': { default: '', description: 'Address of an OpenAI-compatible endpoint to use for the provider of `model`.' },
  agent: {
    default: '',
    description: 'Agent that does the work: `build`, `plan` or one of the repository. Empty: `default_agent` of the configuration, else `build`.',
  },
  prompt: {
    default: '',
    description:
      'What to do. Needed for `schedule` and `workflow_dispatch`; makes every `issues` event act; on a comment it is put in front of what the person wrote.',
  },
  system: { default: '', description: 'Text added to the system prompt.' },
  triggers: {
    default: '/opencode,/oc',
    description: 'Words that call the agent, as a list. Upper and lower case are the same; code, quotes and links never count.',
  },
  'max-steps': { default: '50', description: 'Model calls a turn may take before it has to sum up.' },
  'max-cost-usd': {
    default: '',
    description: 'Money a run may spend before it has to sum up, in US dollars. Needs models whose prices are known. Empty: no limit.',
  },
  'max-tokens': {
    default: '',
    description: 'Tokens a run may use before it has to sum up: all that is sent and written, cached ones included. Empty: no limit.',
  },
  'timeout-minutes': { default: '30', description: 'Minutes the agent may work before it is cut short; it sums up in the last minute. At most 7200.' },
  'allowed-users': {
    default: '',
    description: 'Logins, as a list, that may call the agent although they lack write access. `*` is refused.',
  },
  'allowed-bots': {
    default: '',
    description: 'Logins of bots, as a list, that may call the agent, with or without `[bot]`. `*` is refused; no other bot may.',
  },
  'base-branch': { default: '', description: 'Branch to start from and to open pull requests against. Empty: the default branch.' },
  'branch-prefix': { default: 'opencode/', description: 'What the names of new branches begin with.' },
  'commit-method': { default: 'git', description: 'How commits are made: `git`, or `api` for commits signed by GitHub (not available yet).' },
  'pull-request': {
    default: 'create',
    description: 'What happens with edits made for an issue: `create` a pull request; `draft`, `link` and `never` are not available yet.',
  },
  mode: { default: 'apply', description: 'Whether the run publishes its work itself: `apply`; `staged` is not available yet.' },
  progress: { default: 'live', description: 'How the progress comment is kept: `live`; `final` and `none` are not available yet.' },
  session: { default: 'thread', description: 'Continue the session of the issue or pull request (`thread`) or begin a `new` one.' },
  'session-key': {
    default: '',
    description: 'Secret that seals the session hidden in the comments, so that nobody else can read it, even in a public repository.',
    secret: true,
  },
  'output-schema': { default: '', description: 'JSON schema that the answer has to follow. Not available yet.' },
  target: { default: '', description: 'Number of the issue or pull request that a scheduled or dispatched run speaks to. Not available yet.' },
  config: {
    default: '',
    description:
      "Configuration in the form of `opencode.json`, as inline JSON, laid over the repository's; what its `permission` forbids, no file of the repository allows.",
  },
  sandbox: { default: 'auto', description: 'How tools are kept apart: `auto`, as far as the machine permits; `require` and `off` are not available yet.' },
  'working-directory': { default: '', description: 'Folder to work in, relative to the workspace.' },
  'debug-prompt': { default: 'false', description: 'Write the newest request to the model to a file on the runner (`true` or `false`).' },
} as const satisfies Record<string, Input>

export type InputName = keyof typeof inputs
