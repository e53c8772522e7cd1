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
      'What to do. Needed for `schedule` and the two dispatches; makes every `issues` and `pull_request` event act; is put in front of what a person wrote.',
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
  'commit-method': {
    default: 'git',
    description: 'How commits are made: `git`, or `api`, through GitHub, which signs them as verified.',
  },
  'pull-request': {
    default: 'create',
    description:
      'What becomes of edits that belong to no open pull request: a new one (`create`), a `draft`, a branch and a `link` to open one, or (`never`) only a patch: `patch-path`, and the reply where short. An open pull request that is asked about is updated in any case.',
  },
  mode: {
    default: 'apply',
    description: '`apply`: do the work. `staged`: write nothing to GitHub and push nothing; the job summary shows what would have been done.',
  },
  progress: {
    default: 'live',
    description:
      '`live`: one comment shows the work and becomes the reply. `final`: a quiet one is replaced at the end by a fresh reply, so that a mail is sent. `none`: no comment before the reply, so that runs of one thread neither hand over nor resume what was stopped.',
  },
  session: { default: 'thread', description: 'Continue the session of the issue or pull request (`thread`) or begin a `new` one.' },
  'session-key': {
    default: '',
    description: 'Secret that seals the session hidden in the comments, so that nobody else can read it, even in a public repository.',
    secret: true,
  },
  'output-schema': {
    default: '',
    description: 'JSON schema, as inline JSON, that the answer has to follow; the answer is then in the output `structured-output`.',
  },
  target: {
    default: '',
    description: 'Number of the issue or pull request to speak to when the event belongs to none, such as `schedule`. Empty: to none.',
  },
  config: {
    default: '',
    description:
      "Configuration in the form of `opencode.json`, as inline JSON, laid over the repository's; what its `permission` forbids, no file of the repository allows.",
  },
  sandbox: {
    default: 'auto',
    description: 'How tools are kept apart from the action: `auto`, as far as the machine permits; `require`, or the run fails; `off`, not at all.',
  },
  'working-directory': { default: '', description: 'Folder to work in, relative to the workspace.' },
  'debug-prompt': { default: 'false', description: 'Write the newest request to the model to a file on the runner (`true` or `false`).' },
} as const satisfies Record<string, Input>

export type InputName = keyof typeof inputs
