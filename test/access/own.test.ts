import { expect, test } from 'vitest'
import { ownDoing } from '../../src/access/own.ts'
import { alice, bot, head, triggers } from './triggers.ts'

const app = { viewer: 'our-app[bot]', landings: [] }
const person = { viewer: 'alice', landings: ['f'.repeat(40), head.sha, 'e'.repeat(40)] }
const us = bot('our-app[bot]')

test.each([
  triggers.pull_request(us, 'synchronize'),
  triggers.pull_request(us, 'opened'),
  triggers.pull_request_target(us, 'synchronize'),
  triggers.workflow_run(us),
  triggers.pull_request(bot('Our-App[bot]'), 'synchronize'),
])('what our own bot caused starts nothing, and the reason says so: $event $action (C16)', (trigger) => {
  expect(ownDoing(trigger, app)).toContain('our-app[bot] caused this event')
})

test.each([triggers.pull_request(alice, 'synchronize'), triggers.pull_request_target(alice, 'synchronize'), triggers.workflow_run(alice)])(
  'with the token of a person it is the commit that tells: $event (C16)',
  (trigger) => {
    expect(ownDoing(trigger, person)).toContain('pushed by an earlier run')
    expect(ownDoing(trigger, { ...person, landings: ['f'.repeat(40)] })).toBeUndefined()
  },
)

test.each([triggers.pull_request(alice, 'labeled'), triggers.pull_request(alice, 'opened'), triggers.pull_request_target(alice, 'closed')])(
  'what people do to a pull request whose head we pushed is their doing: $action',
  (trigger) => {
    expect(ownDoing(trigger, person)).toBeUndefined()
  },
)

test('what somebody else causes is no doing of ours, another bot included', () => {
  for (const actor of [alice, bot('renovate[bot]'), bot('our-app')]) expect(ownDoing(triggers.pull_request(actor), app)).toBeUndefined()
})

test.each(['issue_comment', 'pull_request_review_comment', 'pull_request_review', 'issues', 'schedule', 'workflow_dispatch', 'repository_dispatch'] as const)(
  'what is asked in writing or by the workflow is never taken for our own doing: %s',
  (event) => {
    expect(ownDoing(triggers[event](us), app)).toBeUndefined()
    expect(ownDoing(triggers[event](alice), person)).toBeUndefined()
  },
)
