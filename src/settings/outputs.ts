/** Every output of the contract, with what it says. `action.yml` and README.md repeat this; `test/contract.test.ts` holds them together. */
export const outputs = {
  conclusion: 'How the run ended: `success`, `failure`, `cancelled`, `skipped` or `handed-over`.',
  reason: 'One sentence that says why it ended so.',
  response: 'The final answer, as Markdown.',
  'structured-output': 'The answer as JSON, when `output-schema` is set.',
  'session-id': 'Id of the session.',
  model: 'The model that answered, as `provider/model`.',
  'comment-id': 'Id of the comment that holds the answer.',
  'comment-url': 'Address of the comment that holds the answer.',
  branch: 'Branch that the edits were pushed to.',
  'commit-sha': 'Commit that holds the edits.',
  'pull-request-number': 'Number of the pull request that holds the edits.',
  'pull-request-url': 'Address of that pull request.',
  'pull-request-operation': 'What was done to the pull request: `created` or `updated`; empty when nothing was.',
  'changed-files': 'Paths of the changed files, one a line.',
  'patch-path': 'File on the runner that holds the edits as a patch.',
  'transcript-path': 'File on the runner that holds the whole conversation with the model.',
  steps: 'Model calls made.',
  'input-tokens': 'Tokens sent to the model.',
  'output-tokens': 'Tokens the model wrote.',
  'cost-usd': 'What the run cost, in US dollars, when the prices of the model are known.',
} as const

export type OutputName = keyof typeof outputs
