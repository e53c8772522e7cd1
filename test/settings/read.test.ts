import { describe, expect, test } from 'vitest'
import { SettingsError } from '../../src/settings/errors.ts'
import { readSettings } from '../../src/settings/read.ts'

/** The environment a runner makes of `with:`; the token is always there. */
function env(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries({ 'github-token': 't0ken', ...given }).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]))
}
const read = (given: Readonly<Record<string, string>> = {}) => readSettings(env(given))

function failure(given: Readonly<Record<string, string>>): SettingsError {
  try {
    read(given)
  } catch (error) {
    if (error instanceof SettingsError) return error
    throw error
  }
  throw new Error('the settings were accepted')
}

test('without inputs, every default holds', () => {
  expect(read()).toEqual({
    githubToken: 't0ken',
    fallbackModels: [],
    triggers: ['/opencode', '/oc'],
    maxSteps: 50,
    timeoutMinutes: 30,
    allowedUsers: [],
    allowedBots: [],
    branchPrefix: 'opencode/',
    commitMethod: 'git',
    pullRequest: 'create',
    mode: 'apply',
    progress: 'live',
    session: 'thread',
    sandbox: 'auto',
    workingDirectory: '',
    debugPrompt: false,
  })
})

test('every input that works is read', () => {
  expect(
    read({
      model: 'acme/vendor/model-x',
      'small-model': 'acme/tiny',
      variant: 'high',
      'fallback-models': 'openai/gpt-x,\nvendor/some/model',
      'api-key': 'k3y',
      'base-url': 'http://127.0.0.1:8080/v1',
      agent: 'build',
      prompt: 'Fix it.\nThen test.',
      system: 'Be brief.',
      triggers: '/Bot',
      'max-steps': '7',
      'max-cost-usd': '0.5',
      'max-tokens': '250000',
      'timeout-minutes': '7200',
      'allowed-users': 'alice, bob_octo',
      'allowed-bots': 'renovate[bot]\ndependabot',
      'base-branch': 'release/1.x',
      'branch-prefix': 'bots/oc-',
      'commit-method': 'api',
      'pull-request': 'draft',
      mode: 'staged',
      progress: 'final',
      session: 'new',
      'session-key': 's3al',
      'output-schema': '{"type": "object",\n "properties": {"ok": {"type": "boolean"}}}',
      target: '12',
      sandbox: 'require',
      config: ' {"model": "a/b"} ',
      'working-directory': './packages//app/',
      'debug-prompt': 'true',
    }),
  ).toEqual({
    githubToken: 't0ken',
    model: { providerID: 'acme', modelID: 'vendor/model-x' },
    smallModel: { providerID: 'acme', modelID: 'tiny' },
    variant: 'high',
    fallbackModels: [
      { providerID: 'openai', modelID: 'gpt-x' },
      { providerID: 'vendor', modelID: 'some/model' },
    ],
    apiKey: 'k3y',
    baseUrl: 'http://127.0.0.1:8080/v1',
    agent: 'build',
    prompt: 'Fix it.\nThen test.',
    system: 'Be brief.',
    triggers: ['/Bot'],
    maxSteps: 7,
    maxCostUsd: 0.5,
    maxTokens: 250_000,
    timeoutMinutes: 7200,
    allowedUsers: ['alice', 'bob_octo'],
    allowedBots: ['renovate[bot]', 'dependabot'],
    baseBranch: 'release/1.x',
    branchPrefix: 'bots/oc-',
    commitMethod: 'api',
    pullRequest: 'draft',
    mode: 'staged',
    progress: 'final',
    session: 'new',
    sessionKey: 's3al',
    outputSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
    target: 12,
    sandbox: 'require',
    config: '{"model": "a/b"}',
    workingDirectory: 'packages/app',
    debugPrompt: true,
  })
})

test('an empty input is one that was not given (C165)', () => {
  const empty = {
    model: '',
    'api-key': '',
    'base-url': '  ',
    prompt: '\n',
    triggers: '',
    'max-steps': ' ',
    'branch-prefix': '',
    session: '',
    'debug-prompt': '',
    mode: '',
    'output-schema': ' ',
    target: '',
    sandbox: '',
  }
  expect(read(empty)).toEqual(read())
})

test('lists go by commas and line ends; blanks are dropped (C170)', () => {
  expect(read({ triggers: '/oc,\n /bot ,' }).triggers).toEqual(['/oc', '/bot'])
  expect(read({ triggers: '/oc\r\n\r\n/bot\r\n\r\n' }).triggers).toEqual(['/oc', '/bot'])
  expect(read({ 'allowed-users': ' , \n' }).allowedUsers).toEqual([])
})

test.each(['false', ' False ', 'FALSE'])('%j is a boolean (C170)', (value) => {
  expect(() => read({ 'debug-prompt': value })).not.toThrow()
})

describe('a wrong value fails, naming the input, the value and what it may be', () => {
  test.each([
    ['model', 'gpt-5', 'provider/model'],
    ['model', '/gpt-5', 'provider/model'],
    ['model', 'openai/', 'provider/model'],
    ['model', 'openai/gpt 5', 'provider/model'],
    ['base-url', 'models.example.com/v1', 'http or https address'],
    ['base-url', 'ftp://models.example.com', 'http or https address'],
    ['triggers', '/oc, hey bot', '"hey bot"'],
    ['triggers', ' , ', 'at least one word'],
    ['max-steps', 'many', 'whole number'],
    ['max-steps', '0', 'whole number'],
    ['max-steps', '-1', 'whole number'],
    ['max-steps', '1.5', 'whole number'],
    ['max-steps', '1e3', 'whole number'],
    ['max-steps', '99999999999999999999', 'whole number'],
    ['max-cost-usd', '0', 'amount above 0'],
    ['max-cost-usd', '$5', 'amount above 0'],
    ['max-cost-usd', '1,50', 'amount above 0'],
    ['max-tokens', '1e6', 'whole number above 0'],
    ['max-tokens', '0', 'whole number above 0'],
    ['small-model', 'gpt', 'provider/model'],
    ['fallback-models', 'openai/gpt-x,gpt', 'provider/model'],
    ['timeout-minutes', '7201', 'from 1 to 7200'],
    ['allowed-users', 'alice, *', '"*"'],
    ['allowed-users', 'renovate[bot]', '"renovate[bot]"'],
    ['allowed-bots', '*', '"*"'],
    ['allowed-bots', '*[bot]', '"*[bot]"'],
    ['base-branch', 'a b', 'not a branch name'],
    ['base-branch', '-x', 'not a branch name'],
    ['branch-prefix', '/opencode', 'branch name'],
    ['branch-prefix', 'a..b', 'branch name'],
    ['branch-prefix', 'a.lock/', 'branch name'],
    ['branch-prefix', 'a/.b', 'branch name'],
    ['branch-prefix', 'a~', 'branch name'],
    ['session', 'old', 'thread, new'],
    ['session', 'Thread', 'thread, new'],
    ['commit-method', 'svn', 'git, api'],
    ['pull-request', 'yes', 'create, draft, link, never'],
    ['pull-request', 'Draft', 'create, draft, link, never'],
    ['mode', 'dry-run', 'apply, staged'],
    ['progress', 'quiet', 'live, final, none'],
    ['sandbox', 'true', 'auto, require, off'],
    ['target', '#12', 'whole number above 0'],
    ['target', '0', 'whole number above 0'],
    ['target', '1.5', 'whole number above 0'],
    ['output-schema', '{type: object}', 'object in inline JSON'],
    ['output-schema', './schema.json', 'object in inline JSON'],
    ['output-schema', '[]', 'object in inline JSON'],
    ['output-schema', 'null', 'object in inline JSON'],
    ['working-directory', '/etc', 'inside the workspace'],
    ['working-directory', 'a/../../b', 'inside the workspace'],
    ['working-directory', 'C:\\work', 'inside the workspace'],
    ['working-directory', 'a\\..\\b', 'inside the workspace'],
    ['debug-prompt', 'yes', 'true or false'],
    ['debug-prompt', '1', 'true or false'],
    ['debug-prompt', 'tRue', 'true or false'],
  ])('%s: %j', (name, value, choices) => {
    const { message } = failure({ [name]: value })
    expect(message).toContain(`The input ${name} `)
    expect(message).toContain(value.trim() === value ? JSON.stringify(value) : JSON.stringify(value.trim()))
    expect(message).toContain(choices)
  })

  test('a token that is missing is named', () => {
    expect(failure({ 'github-token': '' }).message).toBe('The input github-token must not be empty.')
  })

  test('all wrong inputs are told at once, each on a line of its own', () => {
    const { message, hint } = failure({ 'max-steps': 'x', session: 'y', model: 'z' })
    expect(message.split('\n').map((line) => line.split(' is ')[0])).toEqual(['3 inputs are wrong:', '- model', '- max-steps', '- session'])
    expect(hint).toContain('`with:`')
  })

  test('a long value is cut, and the password in an address is not shown', () => {
    expect(failure({ model: 'm'.repeat(5_000) }).message.length).toBeLessThan(250)
    const { message } = failure({ 'base-url': 'https://bob:hunter2@models.example.com' })
    expect(message).toContain('without user name and password')
    expect(message).not.toContain('hunter2')
  })
})

test.each([
  ['commit-method', 'commitMethod', ['git', 'api']],
  ['pull-request', 'pullRequest', ['create', 'draft', 'link', 'never']],
  ['mode', 'mode', ['apply', 'staged']],
  ['progress', 'progress', ['live', 'final', 'none']],
  ['session', 'session', ['thread', 'new']],
  ['sandbox', 'sandbox', ['auto', 'require', 'off']],
] as const)('%s takes each of its words', (name, field, words) => {
  expect(words.map((word) => read({ [name]: word })[field])).toEqual(words)
})
