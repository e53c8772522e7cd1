import { describe, expect, test } from 'vitest'
import { readEvent } from '../../src/event/read.ts'
import { defaultRequests } from '../../src/event/verb.ts'
import { limits } from '../../src/limits.ts'
import { repositoryDispatch, user, workflowDispatch, workflowRun } from './payloads.ts'
import { failureOf, settings, withPrompt } from './reading.ts'

describe('events in which nobody says anything', () => {
  test('a schedule does what the input says, and may name no repository and no sender', () => {
    expect(readEvent('schedule', { schedule: '0 3 * * *' }, withPrompt)).toEqual({
      kind: 'trigger',
      trigger: {
        event: 'schedule',
        cron: '0 3 * * *',
        repository: { owner: 'octo', name: 'demo' },
        actor: { login: 'ghost', type: 'Unknown' },
        verb: { type: 'prompt', text: 'Answer in French.' },
      },
    })
  })

  test('a dispatched workflow does what the input says', () => {
    expect(readEvent('workflow_dispatch', workflowDispatch(), withPrompt)).toMatchObject({
      trigger: { event: 'workflow_dispatch', actor: { login: 'Codertocat', type: 'User' }, verb: { text: 'Answer in French.' } },
    })
  })

  test('a dispatch from outside does what the input says, and brings its type and its data as JSON', () => {
    const payload = repositoryDispatch('nightly', { issue: 12, note: 'be "brief"' })
    expect(readEvent('repository_dispatch', payload, withPrompt)).toMatchObject({
      trigger: { event: 'repository_dispatch', type: 'nightly', payload: '{"issue":12,"note":"be \\"brief\\""}', verb: { text: 'Answer in French.' } },
    })
  })

  test.each([null, undefined])('a dispatch from outside may bring no data: %s', (client_payload) => {
    const payload = { ...repositoryDispatch('nightly', {}), client_payload }
    expect(readEvent('repository_dispatch', payload, withPrompt)).toMatchObject({ trigger: { type: 'nightly', payload: '{}' } })
  })

  test('a dispatch from outside that brings a great deal is cut', () => {
    const reading = readEvent('repository_dispatch', repositoryDispatch('x', { log: '😀'.repeat(20_000) }), withPrompt)
    const payload = reading.kind === 'trigger' && reading.trigger.event === 'repository_dispatch' ? reading.trigger.payload : ''
    expect(payload).toMatch(/^\{"log":"😀.*😀…$/u)
    expect(payload.length).toBeLessThanOrEqual(limits.dispatchChars + 1)
  })

  test.each([
    ['schedule', { schedule: '0 3 * * *' }],
    ['workflow_dispatch', workflowDispatch()],
    ['repository_dispatch', repositoryDispatch('nightly', {})],
  ])('%s without the input fails and names it (C10)', (name, payload) => {
    const error = failureOf(name, payload)
    expect(error.message).toContain(`"${name}"`)
    expect(error.hint).toContain('`prompt`')
  })
})

describe('a finished run of another workflow', () => {
  const read = (run: Parameters<typeof workflowRun>[0], pulls: Parameters<typeof workflowRun>[1] = [], given = settings) =>
    readEvent('workflow_run', workflowRun(run, pulls), given)

  test('that failed is to be mended, without any input, for whoever started it', () => {
    const reading = read({ id: 815, name: 'test', html_url: 'https://github.com/octo/demo/actions/runs/815', head_sha: 'e'.repeat(40) }, [{ number: 12 }])
    expect(reading).toMatchObject({
      kind: 'trigger',
      trigger: {
        event: 'workflow_run',
        actor: { login: 'alice', type: 'User' },
        verb: { type: 'prompt', text: defaultRequests.run },
        run: { id: 815, name: 'test', url: 'https://github.com/octo/demo/actions/runs/815', branch: 'feature/x', sha: 'e'.repeat(40) },
        pull: 12,
      },
    })
  })

  test('does what the input says instead, if it says anything', () => {
    expect(read({}, [], withPrompt)).toMatchObject({ trigger: { verb: { text: 'Answer in French.' } } })
  })

  test.each(['failure', 'timed_out', 'startup_failure'])('counts as failed when it ended as %s', (conclusion) => {
    expect(read({ conclusion }).kind).toBe('trigger')
  })

  test.each(['success', 'neutral', 'cancelled', 'skipped', 'stale', 'action_required', null])('is left alone when it ended as %s', (conclusion) => {
    expect(read({ conclusion })).toMatchObject({ kind: 'nothing', reason: expect.stringContaining('nothing to mend') })
  })

  test.each(['requested', 'in_progress'])('is left alone while it is %s', (action) => {
    const reading = readEvent('workflow_run', { ...workflowRun({ conclusion: null }), action }, settings)
    expect(reading).toMatchObject({ kind: 'nothing', reason: expect.stringContaining(action) })
  })

  test('speaks to no pull request but one between branches of this repository', () => {
    const pull = (pulls: Parameters<typeof workflowRun>[1]) => {
      const reading = read({}, pulls)
      return reading.kind === 'trigger' && reading.trigger.event === 'workflow_run' ? reading.trigger.pull : 'none read'
    }
    expect(pull([])).toBeUndefined()
    expect(pull([{ number: 2, base: 1 }])).toBeUndefined()
    expect(pull([{ number: 2, head: 1 }])).toBeUndefined()
    expect(pull([{ number: 2, base: 1 }, { number: 12 }])).toBe(12)
  })

  test.each([
    ['a fork', { id: 1, full_name: 'mallory/demo' }],
    ['a fork that is gone (C91)', null],
  ])('on a commit of %s is left alone, whatever its branch is called', (_, head_repository) => {
    expect(read({ head_repository, head_branch: 'main' }, [{ number: 12 }])).toMatchObject({
      kind: 'nothing',
      reason: expect.stringContaining('another repository'),
    })
  })

  test('of which it is not known where it ran is left alone', () => {
    const payload = workflowRun({ head_repository: null })
    expect(readEvent('workflow_run', { ...payload, repository: undefined }, settings)).toMatchObject({ kind: 'nothing' })
  })

  test('on a branch of our own that nobody has taken up is left alone, so that nothing goes round', () => {
    const own = { ...settings, branchPrefix: 'opencode/' }
    expect(read({ head_branch: 'opencode/issue3-dates' }, [], own)).toMatchObject({ kind: 'nothing', reason: expect.stringContaining('opencode/issue3-dates') })
    expect(read({ head_branch: 'opencode/issue3-dates' }, [{ number: 12 }], own)).toMatchObject({ trigger: { pull: 12 } })
  })

  test('is asked for by who started it again, else by who started it; a deleted account is ghost (C24)', () => {
    const actor = (run: Parameters<typeof workflowRun>[0]) => {
      const reading = read(run)
      return reading.kind === 'trigger' && reading.trigger.actor.login
    }
    expect(actor({ actor: user('mallory'), triggering_actor: user('rita') })).toBe('rita')
    expect(actor({ actor: user('mallory'), triggering_actor: undefined })).toBe('mallory')
    expect(actor({ actor: null, triggering_actor: null })).toBe('ghost')
  })

  test('may have no branch and no name of its own', () => {
    expect(read({ name: null, head_branch: null, pull_requests: null })).toMatchObject({ trigger: { run: { name: 'test', branch: null } } })
  })
})
