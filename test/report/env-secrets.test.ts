import { expect, test } from 'vitest'
import { secretsIn } from '../../src/report/env-secrets.ts'

test('C140 every key that a job hands to its steps is a secret, whatever this action uses', () => {
  const keys = {
    DEPLOY_KEY: 'q7Zk2mVx9Lw4RtB8',
    GITHUB_TOKEN: 'ghs_0123456789',
    'INPUT_API-KEY': 'sk-0123456789',
    NPM_AUTH: 'correct horse battery staple',
    db_password: 'tr0ub4dor3',
    SIGNING_KEY: '-----BEGIN KEY-----\nabc\n-----END KEY-----',
    ACTIONS_ID_TOKEN_REQUEST_URL: 'https://pipelines.example/a?b=c',
  }
  expect(secretsIn(keys)).toEqual(Object.values(keys))
})

test('paths, short words and other variables are none', () => {
  expect(
    secretsIn({
      PWD: '/home/runner/work/0123456789',
      GOOGLE_APPLICATION_CREDENTIALS: '/home/runner/gha-creds-0123456789.json',
      SSH_KEY: '~/.ssh/id_ed25519_key',
      SORT_KEY: 'name',
      CACHE_KEY: 'production',
      PATH: '/usr/local/sbin:/usr/bin',
      KEYBOARD: 'q7Zk2mVx9Lw4RtB8',
      GITHUB_TOKEN: undefined,
    }),
  ).toEqual([])
})
