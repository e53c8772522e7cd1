import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PermissionAnswer } from '../../src/access/decide.ts'
import { bindHead, type HeadFacts, headSeen, type Push, pushersToAsk } from '../../src/access/head.ts'
import { alice, head, triggers } from './triggers.ts'

const sha = (letter: string) => letter.repeat(40)
const none = '0'.repeat(40)
const asked = '2026-01-02T12:00:00Z'
/** So many seconds after the request; before it when negative. */
const at = (seconds: number) => new Date(Date.parse(asked) + seconds * 1000).toISOString()

/** A push by `actor` that moved the branch from one commit to another. */
const push = (actor: string, seconds: number, before: string, after: string): Push => ({ actor, at: at(seconds), before: sha(before), after: sha(after) })
const created = push('bob', -900, '0', '1')

const known = (permission: string): PermissionAnswer => ({ kind: 'known', permission, role: permission })
const permissions = new Map<string, PermissionAnswer>([
  ['rita', known('write')],
  ['bob', known('read')],
  ['mallory', known('none')],
  ['broken', { kind: 'unknown', reason: '500' }],
])

/** alice, who may write, commented on bob's pull request from his fork. */
const fork: HeadFacts = { requester: 'alice', at: asked, current: sha('1'), isFork: true, headRepository: 'bob/demo', permissions, vouched: [] }
const take = (letter: string) => ({ kind: 'take', sha: sha(letter) })
const pin = (letter: string, ...words: readonly string[]) => ({
  kind: 'pin',
  sha: sha(letter),
  notice: expect.stringMatching(new RegExp(words.map((word) => `(?=.*${word})`).join(''))),
})

describe('a branch of this repository', () => {
  test('is taken as it is, whatever was pushed and whatever the event told: only people with write access push there', () => {
    const facts = { ...fork, isFork: false, headRepository: 'octo/demo', current: sha('2'), seen: sha('1'), pushes: [push('bob', 5, '1', '2'), created] }
    expect(bindHead(facts)).toEqual(take('2'))
    expect(bindHead({ ...facts, seen: undefined, pushes: undefined })).toEqual(take('2'))
    expect(pushersToAsk(facts)).toEqual([])
  })
})

describe('a comment on a pull request from a fork, with its pushes known (C141)', () => {
  test.each<[string, readonly Push[], unknown]>([
    ['nothing since', [created], take('1')],
    ['a push by somebody who may write', [push('rita', 5, '1', '2'), created], take('2')],
    ['a push by the requester', [push('Alice', 5, '1', '2'), created], take('2')],
    ['a push by the author, who may not write', [push('bob', 5, '1', '2'), created], pin('1', 'bob', '1111111', '2222222', 'Ask again')],
    ['a push in the second of the request', [push('bob', 0, '1', '2'), created], pin('1', 'bob')],
    ['a push in the second before', [push('bob', -1, '1', '2'), created], take('2')],
    ['a writer’s push, then a stranger’s', [push('bob', 9, '2', '3'), push('rita', 5, '1', '2'), created], pin('2', 'bob')],
    ['a stranger’s push, then a writer’s on top of it', [push('rita', 9, '2', '3'), push('bob', 5, '1', '2'), created], pin('1', 'bob')],
    ['two strangers', [push('mallory', 9, '2', '3'), push('bob', 5, '1', '2'), created], pin('1', 'bob')],
    ['a push by somebody of whom GitHub did not tell', [push('broken', 5, '1', '2'), created], pin('1', 'broken')],
    ['a push by somebody nobody asked about', [push('zoe', 5, '1', '2'), created], pin('1', 'zoe')],
    ['a stranger’s push that was taken back', [push('bob', 9, '2', '1'), push('bob', 5, '1', '2'), created], take('1')],
  ])('%s', (_, pushes, binding) => {
    expect(bindHead({ ...fork, current: pushes[0]?.after ?? '', pushes })).toEqual(binding)
  })

  test('GitHub is asked only about others who pushed since', () => {
    const pushes = [push('rita', 9, '3', '4'), push('bob', 7, '2', '3'), push('bob', 5, '1', '2'), push('alice', 2, '9', '1'), push('mallory', -5, '0', '9')]
    expect(pushersToAsk({ ...fork, current: sha('4'), pushes })).toEqual(['rita', 'bob'])
  })
})

describe('a comment on a pull request from a fork, with its pushes not known for sure', () => {
  const unsure: [string, readonly Push[] | undefined][] = [
    ['the token may not know', undefined],
    ['the list is empty', []],
    ['the newest commit is not in the list yet', [created]],
    ['the list does not reach back to the request', [push('rita', 9, '2', '3'), push('rita', 5, '1', '2')]],
    ['the list has a gap', [push('rita', 9, '2', '3'), push('rita', 5, '0', '1'), push('bob', -5, '0', '9')]],
    ['the list’s times don’t read as such', [{ ...push('rita', 9, '2', '3'), at: '?' }]],
  ]

  test.each(unsure)('is refused with a way out: %s', (_, pushes) => {
    const facts = { ...fork, current: sha('3'), pushes }
    expect(bindHead(facts)).toEqual({ kind: 'refuse', reason: expect.stringContaining('then ask again in a comment') })
    expect(pushersToAsk(facts)).toEqual([])
  })

  test.each(unsure)('takes a commit that the requester reviewed or an earlier run worked on, else goes back to it: %s', (_, pushes) => {
    const facts = { ...fork, current: sha('3'), pushes }
    expect(bindHead({ ...facts, vouched: [sha('3'), sha('1')] })).toEqual(take('3'))
    expect(bindHead({ ...facts, vouched: [sha('1'), sha('3')] })).toEqual(take('3'))
    expect(bindHead({ ...facts, vouched: [sha('2'), sha('1')] })).toEqual(pin('2', 'does not tell', 'Ask again'))
  })

  test('takes the head of a fork that is the requester’s own', () => {
    expect(bindHead({ ...fork, current: sha('3'), headRepository: 'Alice/demo' })).toEqual(take('3'))
    expect(bindHead({ ...fork, current: sha('3'), headRepository: 'alice2/demo' }).kind).toBe('refuse')
  })

  test('is refused when the fork is gone (C91), unless somebody vouches for its commit', () => {
    expect(bindHead({ ...fork, current: sha('3'), headRepository: null }).kind).toBe('refuse')
    expect(bindHead({ ...fork, current: sha('3'), headRepository: null, vouched: [sha('3')] })).toEqual(take('3'))
  })

  test('a fork’s branch that was made anew since the request has no commit to go back to', () => {
    const pushes = [push('bob', 5, '0', '3'), { ...push('bob', 4, '1', '0'), after: none }, created]
    expect(bindHead({ ...fork, current: sha('3'), pushes })).toEqual(pin('1', 'bob'))
    const anew = [push('bob', 5, '0', '3'), push('rita', 4, '1', '0'), created]
    expect(bindHead({ ...fork, current: sha('3'), pushes: anew })).toEqual({ kind: 'refuse', reason: expect.stringContaining('bob') })
    expect(bindHead({ ...fork, current: sha('3'), pushes: anew, vouched: [sha('1')] })).toEqual(pin('1', 'bob'))
  })

  test('a run that nobody asked for in writing does not run a stranger’s commit, not even in a fork of its actor', () => {
    const { at: _, ...unasked } = fork
    expect(bindHead({ ...unasked, headRepository: 'alice/demo', pushes: [created] }).kind).toBe('refuse')
  })
})

describe('an event that tells the head of a fork', () => {
  const told = { ...fork, seen: sha('1') }

  test.each<[string, HeadFacts, unknown]>([
    ['that is still the head', { ...told, current: sha('1') }, take('1')],
    ['and pushes are not known', { ...told, current: sha('2') }, pin('1', 'does not tell')],
    ['and pushes are not known, in the requester’s own fork', { ...told, current: sha('2'), headRepository: 'alice/demo' }, take('2')],
    ['and a stranger pushed since', { ...told, current: sha('2'), pushes: [push('bob', 5, '1', '2'), created] }, pin('1', 'bob')],
    [
      'and a stranger pushed since by the order of commits, whatever the clocks say',
      { ...told, current: sha('2'), pushes: [push('bob', -5, '1', '2'), created] },
      pin('1', 'bob'),
    ],
    ['and somebody who may write pushed since', { ...told, current: sha('2'), pushes: [push('rita', 5, '1', '2'), created] }, take('2')],
    ['and is not among the pushes', { ...told, current: sha('3'), pushes: [push('rita', 5, '2', '3'), push('rita', -5, '0', '2')] }, pin('1', 'does not tell')],
    ['without anybody having asked in writing', { ...told, at: undefined, current: sha('2'), pushes: [push('bob', 5, '1', '2'), created] }, pin('1', 'bob')],
  ])('%s', (_, facts, binding) => {
    expect(bindHead(facts)).toEqual(binding)
  })

  test('the head of the event is that of the payload; of a review it is the commit the reviewer saw; a comment tells none', () => {
    expect(headSeen(triggers.pull_request_review_comment(alice))).toBe(head.sha)
    expect(headSeen(triggers.pull_request(alice))).toBe(head.sha)
    expect(headSeen(triggers.pull_request_target(alice))).toBe(head.sha)
    expect(headSeen(triggers.pull_request_review(alice, sha('c')))).toBe(sha('c'))
    expect(headSeen(triggers.pull_request_review(alice))).toBe(head.sha)
    expect(headSeen(triggers.workflow_run(alice))).toBe(sha('e'))
    for (const event of ['issue_comment', 'issues', 'schedule', 'workflow_dispatch', 'repository_dispatch'] as const)
      expect(headSeen(triggers[event](alice))).toBeUndefined()
  })
})

test('whatever is pushed to a fork after a comment, what a stranger pushed is never run', () => {
  const actor = fc.constantFrom('alice', 'rita', 'bob', 'mallory')
  fc.assert(
    fc.property(fc.array(fc.tuple(actor, fc.integer({ min: 0, max: 1 })), { maxLength: 12 }), fc.boolean(), (moves, truncated) => {
      // Commits get a new name each; a time may be a little out of order.
      const name = (index: number) => (index + 1).toString(16).padStart(40, 'c')
      const chain = moves.map(([who, wait], index) => ({ who, since: moves.slice(0, index + 1).reduce((sum, [, step]) => sum + step, 0) + wait - 6, index }))
      const history = chain.map(
        ({ who, since, index }): Push => ({ actor: who, at: at(since), before: index === 0 ? none : name(index - 1), after: name(index) }),
      )
      const pushes = [...(truncated ? history.slice(1) : history)].reverse()
      const current = history.at(-1)?.after ?? name(0)
      const binding = bindHead({ ...fork, current, pushes })
      if (binding.kind === 'refuse') return
      const upTo = history.findIndex(({ after }) => after === binding.sha)
      const run = history.slice(0, upTo + 1).filter((entry) => Date.parse(entry.at) >= Date.parse(asked))
      expect(run.filter((entry) => entry.actor === 'bob' || entry.actor === 'mallory')).toEqual([])
      expect(upTo).toBeGreaterThanOrEqual(0)
    }),
  )
})
