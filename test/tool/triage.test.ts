import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { authorize, fromConfig } from '../../src/tool/permission.ts'
import type { TriageRules } from '../../src/tool/triage.ts'
import { desk, issue } from './review-kit.ts'

const withRules = (rules: TriageRules) => desk({ triage: { ...issue, rules } })
const ids = ({ tools }: ReturnType<typeof desk>) => tools.map(({ id }) => id)

describe('the tools that sort issues', () => {
  test('are label and search alone, unless the configuration says more', () => {
    expect(ids(desk())).toEqual(['label', 'search_issues'])
    expect(ids(withRules({ assign: ['ann'], close: true }))).toEqual(['label', 'assign', 'close_issue', 'search_issues'])
    expect(ids(withRules({ labels: false, assign: [], close: false }))).toEqual(['search_issues'])
  })

  test('are small: those of an issue take less than 1 kB of a request, review less than 2 kB', () => {
    const bytes = (tools: ReturnType<typeof desk>['tools']) =>
      Buffer.byteLength(
        JSON.stringify(
          tools.map(({ id, description, parameters }) => ({ id, description, parameters: z.toJSONSchema(parameters, { io: 'input', target: 'draft-7' }) })),
        ),
      )
    const small = desk()
    const review = desk({ review: { head: 'a', files: () => Promise.resolve([]), known: [] } })
    expect(bytes(small.tools)).toBeLessThan(1_000)
    expect(bytes(review.tools) - bytes(small.tools)).toBeLessThan(2_000)
  })

  test('obey the permission rules, label by label', async () => {
    const { toolOf } = withRules({ close: true, assign: true })
    const rules = fromConfig({ '*': 'allow', label: { '*': 'deny', 'area/*': 'allow' }, close_issue: 'deny', assign: { boss: 'deny' } })
    await authorize(toolOf('label'), { add: ['area/api'] }, rules)
    await expect(authorize(toolOf('label'), { add: ['area/api', 'bug'] }, rules)).rejects.toThrow('`label` of `bug`')
    await expect(authorize(toolOf('close_issue'), { reason: 'completed' }, rules)).rejects.toThrow('close_issue')
    await expect(authorize(toolOf('assign'), { logins: ['@boss'] }, rules)).rejects.toThrow('`assign` of `boss`')
  })
})

describe('a label', () => {
  test('is only noted, under the name it has in the repository', async () => {
    const { call, intents } = desk()
    expect(await call('label', { add: ['documentation', 'area/api'], remove: ['BUG'] })).toBe(
      'Once you are done: set: Documentation, area/api; taken away: bug.',
    )
    expect(intents().triage).toEqual({ add: ['Documentation', 'area/api'], remove: ['bug'], assign: [], close: undefined })
  })

  test('that does not exist is answered with the nearest ones', async () => {
    const { failure, intents } = desk()
    expect(await failure('label', { add: ['docs'] })).toMatch(/`docs` is no label .* nearest are .*Documentation/)
    expect(await failure('label', { add: ['bgu'] })).toMatch(/nearest are bug,/)
    expect(intents().triage.add).toEqual([])
  })

  test('beside a wrong one is noted all the same', async () => {
    const { call, intents } = desk()
    expect(await call('label', { add: ['area/api', 'nonsense'] })).toMatch(/`nonsense` is no label[\s\S]*set: area\/api/)
    expect(intents().triage.add).toEqual(['area/api'])
  })

  test('that the configuration does not name can be neither set nor taken away', async () => {
    const { call, failure, intents } = withRules({ labels: ['Area/*'] })
    expect(await call('label', {})).toBe('The labels: area/api, area/web.')
    expect(await failure('label', { add: ['Documentation'] })).toContain('no label this run may use')
    expect(await failure('label', { remove: ['bug'] })).toContain('no label this run may use')
    await call('label', { add: ['area/web'] })
    expect(intents().triage).toMatchObject({ add: ['area/web'], remove: [] })
  })

  test('that is there already, or is not there, needs nothing', async () => {
    const { failure } = desk()
    expect(await failure('label', { add: ['bug'] })).toContain('`bug` is set already')
    expect(await failure('label', { remove: ['area/api'] })).toContain('`area/api` is not set')
  })

  test('can be taken back before the end', async () => {
    const { call, intents } = desk()
    await call('label', { add: ['area/api'], remove: ['bug'] })
    expect(await call('label', { add: ['bug'], remove: ['area/api'] })).toBe('Once you are done: no label changed.')
    expect(intents().triage).toMatchObject({ add: [], remove: [] })
  })

  test('is one of ten at the most', async () => {
    const all = Array.from({ length: 15 }, (_, index) => `l${index}`)
    const { call, intents } = desk({ triage: { ...issue, allLabels: () => Promise.resolve(all) } })
    await call('label', { add: all.slice(0, 8) })
    expect(await call('label', { add: all.slice(8, 12) })).toContain('one too many')
    expect(intents().triage.add).toHaveLength(10)
  })
})

describe('an account', () => {
  test('is assigned when the configuration names it, in whatever case', async () => {
    const { call, failure, intents } = withRules({ assign: ['Ann', 'team-*'] })
    expect(await failure('assign', { logins: ['ann', 'eve'] })).toContain('may not assign eve. It may assign: Ann, team-*.')
    expect(intents().triage.assign).toEqual([])
    await call('assign', { logins: ['@ann', 'Team-lead'] })
    expect(intents().triage.assign).toEqual(['ann', 'Team-lead'])
  })
})

describe('closing', () => {
  test('is noted with its reason', async () => {
    const { call, intents } = withRules({ close: true })
    expect(await call('close_issue', { reason: 'not_planned' })).toContain('#7 is closed once you are done')
    expect(intents().triage.close).toBe('not_planned')
  })

  test('of what is closed is refused', async () => {
    const { failure } = desk({ triage: { ...issue, isOpen: false, rules: { close: true } } })
    expect(await failure('close_issue', { reason: 'completed' })).toContain('closed already')
  })
})

test('a search finds others, each on a line, not the issue itself', async () => {
  const found = { number: 3, title: 'Dates\nare off <b>', state: 'OPEN', isPull: false }
  const { call } = desk({
    search: (words, count) =>
      Promise.resolve(words === 'dates' && count > 10 ? [{ ...found, number: 7 }, found, { ...found, number: 4, isPull: true, state: 'closed' }] : []),
  })
  expect(await call('search_issues', { words: 'dates' })).toBe('#3 (open issue) Dates are off <b>\n#4 (closed pull request) Dates are off <b>')
  expect(await call('search_issues', { words: 'nothing' })).toBe('Nothing found.')
})
