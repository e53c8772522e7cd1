import { expect, test } from 'vitest'
import { SettingsError } from '../../src/settings/errors.ts'
import { readRunner } from '../../src/settings/runner.ts'

const env = {
  GITHUB_EVENT_NAME: 'issue_comment',
  GITHUB_EVENT_PATH: '/runner/event.json',
  GITHUB_WORKSPACE: '/runner/w',
  GITHUB_REPOSITORY: 'octo/demo',
  GITHUB_SERVER_URL: 'http://127.0.0.1:8443/ghes/',
  GITHUB_API_URL: 'http://127.0.0.1:8443/ghes/api/v3',
  GITHUB_GRAPHQL_URL: 'http://127.0.0.1:8443/ghes/api/graphql',
  GITHUB_RUN_ID: '42',
  RUNNER_TEMP: '/runner/temp',
}

function failure(change: Readonly<Record<string, string | undefined>>): string {
  try {
    readRunner({ ...env, ...change })
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
  throw new Error('the environment was accepted')
}

test('every address comes from the environment, with its port and path (C166), and the workspace is the runner’s (C168)', () => {
  expect(readRunner(env)).toEqual({
    eventName: 'issue_comment',
    eventPath: '/runner/event.json',
    workspace: '/runner/w',
    owner: 'octo',
    repo: 'demo',
    serverUrl: 'http://127.0.0.1:8443/ghes',
    apiUrl: 'http://127.0.0.1:8443/ghes/api/v3',
    graphqlUrl: 'http://127.0.0.1:8443/ghes/api/graphql',
    runId: '42',
    runUrl: 'http://127.0.0.1:8443/ghes/octo/demo/actions/runs/42',
    attempt: 1,
    temp: '/runner/temp',
  })
})

test('a run that was started again says so', () => {
  expect(readRunner({ ...env, GITHUB_RUN_ATTEMPT: '3' }).attempt).toBe(3)
  for (const wrong of ['0', '-1', '1.5', 'x', '']) expect(failure({ GITHUB_RUN_ATTEMPT: wrong })).toContain('GITHUB_RUN_ATTEMPT is not a whole number above 0')
})

test.each([
  'GITHUB_EVENT_NAME',
  'GITHUB_WORKSPACE',
  'GITHUB_REPOSITORY',
  'GITHUB_SERVER_URL',
  'GITHUB_API_URL',
  'GITHUB_GRAPHQL_URL',
  'GITHUB_RUN_ID',
  'RUNNER_TEMP',
])('a runner without %s is told so', (name) => {
  expect(failure({ [name]: undefined })).toContain(`${name} is not set`)
  expect(failure({ [name]: '' })).toContain(`${name} is not set`)
})

test('an event path that is not set is left to the reading of the event, which names the event too (C13)', () => {
  expect(readRunner({ ...env, GITHUB_EVENT_PATH: undefined }).eventPath).toBe('')
})

test('everything that is wrong is told at once', () => {
  const message = failure({ GITHUB_REPOSITORY: 'demo', GITHUB_API_URL: 'api.example.com', RUNNER_TEMP: undefined })
  expect(message).toContain('GITHUB_REPOSITORY does not have the form owner/name')
  expect(message).toContain('GITHUB_API_URL is not an http or https address')
  expect(message).toContain('RUNNER_TEMP is not set')
})
