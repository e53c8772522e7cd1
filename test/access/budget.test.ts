import { expect, test } from 'vitest'
import { withinBudget } from '../../src/access/budget.ts'
import { limits } from '../../src/limits.ts'

const now = Date.parse('2026-01-02T12:00:00Z')
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString()
const many = (count: number, time = ago(60)) => Array.from({ length: count }, () => time)
const judge = (byActor: readonly string[], inThread: readonly string[] = byActor) => withinBudget({ actor: 'alice', now, byActor, inThread })

const { actorRequestsPerHour: own, threadRequestsPerHour: all } = limits

test.each([
  ['nothing before', [], [], true],
  ['one less than a person may', many(own - 1), many(own - 1), true],
  ['as many as a person may', many(own), many(own), false],
  ['more than a person may', many(own + 5), many(own + 5), false],
  ['one less than a thread may, by others', [], many(all - 1), true],
  ['as many as a thread may, by others', [], many(all), false],
  ['many, all more than an hour ago', many(own, ago(3601)), many(all, ago(3601)), true],
  ['many, exactly an hour ago', many(own, ago(3600)), many(all, ago(3600)), true],
  ['many, a moment less than an hour ago', many(own, ago(3599)), many(own, ago(3599)), false],
  ['many from a clock that is ahead', many(own, ago(-30)), [], false],
  ['many at times that don’t read as such', many(own, 'yesterday'), [], false],
])('%s: %#', (_, byActor, inThread, allowed) => {
  expect(judge(byActor, inThread).allowed).toBe(allowed)
})

test('the refusal says who asked too often, how often, and what to do', () => {
  expect(judge(many(own))).toMatchObject({ reason: `alice has made ${own} requests within an hour, and ${own} are served. Ask again later.` })
  expect(judge([], many(all))).toMatchObject({ reason: `This thread has seen ${all} requests within an hour, and ${all} are served. Ask again later.` })
})
