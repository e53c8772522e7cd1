import type { EventHead, Person, Trigger } from '../../src/event/trigger.ts'

export const alice: Person = { login: 'alice', id: 1, type: 'User' }
export const bot = (login: string): Person => ({ login, id: 2, type: 'Bot' })

export const head: EventHead = { sha: 'a'.repeat(40), ref: 'feature/x', repository: 'bob/demo' }

const common = {
  repository: { owner: 'octo', name: 'demo' },
  verb: { type: 'prompt', text: 'fix it' },
} as const
const subject = { number: 12, isPull: true, title: 'Dates', body: '', author: 'bob', locked: false, state: 'open' }
const asking = { id: 1, url: '', body: '/oc fix it', createdAt: '' }
const spot = { path: 'a', line: 1, startLine: null, originalLine: 1, side: 'RIGHT', hunk: '', commit: 'c'.repeat(40), thread: 1 } as const
const run = { id: 1, name: 'test', url: '', branch: 'feature/x', sha: 'e'.repeat(40) }

/** One trigger of every event, caused by `actor`. */
export const triggers = {
  issue_comment: (actor: Person): Trigger => ({ event: 'issue_comment', ...common, actor, subject, comment: asking }),
  pull_request_review_comment: (actor: Person): Trigger => ({ event: 'pull_request_review_comment', ...common, actor, subject, comment: asking, spot, head }),
  pull_request_review: (actor: Person, commit?: string): Trigger => ({
    event: 'pull_request_review',
    ...common,
    actor,
    subject,
    review: { ...asking, state: 'commented', ...(commit && { commit }) },
    head,
  }),
  issues: (actor: Person): Trigger => ({ event: 'issues', action: 'opened', ...common, actor, subject }),
  pull_request: (actor: Person, action = 'synchronize'): Trigger => ({ event: 'pull_request', action, ...common, actor, subject, head }),
  pull_request_target: (actor: Person, action = 'synchronize'): Trigger => ({ event: 'pull_request_target', action, ...common, actor, subject, head }),
  schedule: (actor: Person): Trigger => ({ event: 'schedule', cron: '0 3 * * *', ...common, actor }),
  workflow_dispatch: (actor: Person): Trigger => ({ event: 'workflow_dispatch', ...common, actor }),
  repository_dispatch: (actor: Person): Trigger => ({ event: 'repository_dispatch', type: 'nightly', payload: '{}', ...common, actor }),
  workflow_run: (actor: Person): Trigger => ({ event: 'workflow_run', ...common, actor, run }),
}
