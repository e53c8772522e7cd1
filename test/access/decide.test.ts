import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AllowLists, decide, needsPermission, type PermissionAnswer, type Verdict } from '../../src/access/decide.ts'
import type { Person } from '../../src/event/trigger.ts'
import { alice, bot, triggers } from './triggers.ts'

const nobody: AllowLists = { allowedUsers: [], allowedBots: [] }
const known = (permission: string, role = permission): PermissionAnswer => ({ kind: 'known', permission, role })

const comment = triggers.issue_comment

function verdict(actor: Person, permission?: PermissionAnswer, lists: Partial<AllowLists> = {}): Verdict {
  return decide({ trigger: comment(actor), ...nobody, ...lists, ...(permission && { permission }) })
}

describe('people', () => {
  test.each(['admin', 'maintain', 'write'])('with %s access may start a run', (permission) => {
    expect(verdict(alice, known(permission))).toEqual({ allowed: true, because: `alice has ${permission} access` })
  })

  test.each(['read', 'triage', 'none', '', 'WRITE', 'owner'])(
    'with the permission "%s" are refused in one sentence that names them and the way in (C22)',
    (permission) => {
      const refused = verdict(alice, known(permission))
      expect(refused).toMatchObject({ allowed: false, reason: expect.stringMatching(/^alice .*allowed-users.*\.$/) })
    },
  )

  test('are refused when only their role sounds like write: the permission decides', () => {
    expect(verdict(alice, known('read', 'write')).allowed).toBe(false)
  })

  test('are refused with the reason when GitHub gave no answer (C21)', () => {
    const refused = verdict(alice, { kind: 'unknown', reason: '403 Resource not accessible by integration' })
    expect(refused).toMatchObject({ allowed: false, reason: expect.stringContaining('403 Resource not accessible by integration') })
  })

  test('are refused when nobody asked (C21)', () => {
    expect(verdict(alice).allowed).toBe(false)
  })

  test('on the list need no write access, in any letter case', () => {
    for (const permission of [undefined, known('read'), { kind: 'unknown', reason: '404' } as const])
      expect(verdict(alice, permission, { allowedUsers: ['bob', 'Alice'] })).toEqual({ allowed: true, because: 'alice is listed in allowed-users' })
  })

  test('whose login only resembles one on the list are refused', () => {
    for (const login of ['alice2', 'alic', '*', 'alice-']) expect(verdict(alice, known('read'), { allowedUsers: [login] }).allowed).toBe(false)
  })

  test('are no bots, whatever the list of bots says', () => {
    expect(verdict(alice, known('read'), { allowedBots: ['alice'] }).allowed).toBe(false)
  })

  test('whose account is deleted are not met by a list (C24)', () => {
    const ghost: Person = { login: 'ghost', type: 'Unknown' }
    expect(verdict(ghost, { kind: 'unknown', reason: '404' }, { allowedUsers: ['ghost'], allowedBots: ['ghost'] }).allowed).toBe(false)
  })

  test('known as neither user nor bot are refused in one sentence (C18)', () => {
    const refused = verdict({ login: 'Copilot', type: 'Unknown' }, { kind: 'unknown', reason: 'Copilot is not a user' })
    expect(refused).toMatchObject({ allowed: false, reason: expect.stringContaining('Copilot is not a user') })
  })
})

describe('bots', () => {
  test.each([
    ['an app nobody listed (C17)', bot('random-app[bot]')],
    ['our own bot (C15, C16)', bot('github-actions[bot]')],
    ['a bot without the suffix (C18)', bot('Copilot')],
    ['a login with the suffix that is said to be a user (C17)', { login: 'random-app[bot]', type: 'User' } as const],
  ])('%s is refused, even with write access', (_, actor) => {
    expect(verdict(actor, known('admin'), { allowedBots: ['other[bot]'] })).toEqual({
      allowed: false,
      reason: `${actor.login} is a bot, and the input allowed-bots does not list it.`,
    })
  })

  test.each([
    ['renovate[bot]', 'renovate[bot]'],
    ['renovate[bot]', 'renovate'],
    ['renovate[bot]', 'Renovate[bot]'],
    ['Copilot', 'copilot'],
  ])('%s may start a run when the list names %s (C17, C18)', (login, listed) => {
    expect(verdict(bot(login), undefined, { allowedBots: [listed] })).toEqual({ allowed: true, because: `the bot ${login} is listed in allowed-bots` })
  })

  test('are not met by the list of people', () => {
    expect(verdict(bot('alice[bot]'), known('write'), { allowedUsers: ['alice', 'alice[bot]'] }).allowed).toBe(false)
  })

  test('are not met by a part of a listed login', () => {
    for (const listed of ['renovate-x', 'reno', '[bot]', '*', '*[bot]'])
      expect(verdict(bot('renovate[bot]'), undefined, { allowedBots: [listed] }).allowed).toBe(false)
  })
})

const asked = ['issue_comment', 'pull_request_review_comment', 'pull_request_review', 'issues', 'pull_request', 'pull_request_target', 'workflow_run'] as const

describe.each(asked)('%s', (event) => {
  test('is for people with write access and for those on a list', () => {
    const judged = (actor: Person, permission?: PermissionAnswer, lists: Partial<AllowLists> = {}) =>
      decide({ trigger: triggers[event](actor), ...nobody, ...lists, ...(permission && { permission }) }).allowed
    expect(needsPermission(triggers[event](alice), nobody)).toBe(true)
    expect(judged(alice, known('write'))).toBe(true)
    expect(judged(alice, known('read'))).toBe(false)
    expect(judged(alice)).toBe(false)
    expect(judged(alice, undefined, { allowedUsers: ['alice'] })).toBe(true)
    expect(judged(bot('random-app[bot]'), known('admin'))).toBe(false)
    expect(judged(bot('random-app[bot]'), undefined, { allowedBots: ['random-app'] })).toBe(true)
    expect(judged({ login: 'ghost', type: 'Unknown' }, known('none'))).toBe(false)
  })
})

test.each([triggers.schedule({ login: 'ghost', type: 'Unknown' }), triggers.workflow_dispatch(alice), triggers.repository_dispatch(bot('deployer[bot]'))])(
  '$event needs no check, for only those with write access can cause it',
  (trigger) => {
    expect(needsPermission(trigger, nobody)).toBe(false)
    expect(decide({ trigger, ...nobody }).allowed).toBe(true)
  },
)

test('GitHub is asked only when the answer hangs on it', () => {
  expect(needsPermission(comment(alice), nobody)).toBe(true)
  expect(needsPermission(comment(alice), { ...nobody, allowedUsers: ['alice'] })).toBe(false)
  expect(needsPermission(comment(bot('x[bot]')), nobody)).toBe(false)
  expect(needsPermission(comment(bot('x[bot]')), { ...nobody, allowedBots: ['x'] })).toBe(false)
})

test('nobody gets in without write access or their own login on a list', () => {
  const login = fc.constantFrom('alice', 'bob', 'x[bot]', 'Copilot', 'ghost')
  const actor = fc.record({ login, type: fc.constantFrom('User', 'Bot', 'Organization', 'Unknown') })
  const permission = fc.oneof(
    fc.constantFrom(known('read'), known('none'), known('triage'), { kind: 'unknown', reason: '500' } as const),
    fc.string().map((text) => known(`${text}?`, 'admin')),
  )
  const lists = fc.record({ allowedUsers: fc.array(login), allowedBots: fc.array(login) })
  fc.assert(
    fc.property(actor, permission, lists, (who, answer, given) => {
      if (!verdict(who, answer, given).allowed) return
      expect([...given.allowedUsers, ...given.allowedBots]).toContain(who.login)
    }),
  )
})
