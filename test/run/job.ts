import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Trigger } from '../../src/event/trigger.ts'
import { textsOf } from '../../src/prompt/texts.ts'
import { createLog } from '../../src/report/log.ts'
import { createRedactor } from '../../src/report/redact.ts'
import type { Job } from '../../src/run/job.ts'
import { readSettings } from '../../src/settings/read.ts'
import { readRunner } from '../../src/settings/runner.ts'
import { fakeGitHub } from '../publish/fake.ts'
import { choiceAt } from '../support/ask.ts'
import { never, tempFolder } from '../support/closing.ts'

/** What the redactor of a test's job knows as secret. */
export const secret = 'correct-horse-battery'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** A job in which alice asks for something under issue 12, and what it wrote to the log. */
export function jobWith(changes: Partial<Job> = {}): { readonly job: Job; readonly logged: readonly string[] } {
  const logged: string[] = []
  const redactor = createRedactor([secret])
  const env = {
    'INPUT_GITHUB-TOKEN': 'token-of-the-job',
    GITHUB_EVENT_NAME: 'issue_comment',
    GITHUB_EVENT_PATH: '/event.json',
    GITHUB_WORKSPACE: '/workspace',
    GITHUB_REPOSITORY: 'octo/demo',
    GITHUB_SERVER_URL: 'https://github.test',
    GITHUB_API_URL: 'https://github.test/api',
    GITHUB_GRAPHQL_URL: 'https://github.test/graphql',
    GITHUB_RUN_ID: '1',
    RUNNER_TEMP: tempFolder(),
    PATH: process.env.PATH,
  }
  const job: Job = {
    world: {
      env,
      texts: textsOf(join(root, 'prompts')),
      assets: join(root, 'dist'),
      log: createLog((line) => void logged.push(line), redactor),
      redactor,
      signal: never,
      remember: () => undefined,
    },
    settings: readSettings(env),
    runner: readRunner(env),
    trigger: triggerOf({ type: 'prompt', text: 'fix the date parsing' }),
    choice: choiceAt('http://127.0.0.1:9', 'openai-compatible'),
    fallbacks: [],
    github: fakeGitHub(),
    ...changes,
  }
  return { job, logged }
}

/** The trigger of a comment that asks for this. */
export function triggerOf(verb: Trigger['verb']): Trigger {
  return {
    event: 'issue_comment',
    repository: { owner: 'octo', name: 'demo' },
    actor: { login: 'alice', id: 7, type: 'User' },
    verb,
    subject: { number: 12, isPull: false, title: 'Dates', body: '', author: 'rita', locked: false, state: 'open' },
    comment: { id: 5, url: 'https://github.test/comment/5', body: '/opencode fix the date parsing', createdAt: '2026-01-01T00:00:00Z' },
  }
}
