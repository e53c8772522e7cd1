import { expect, test } from 'vitest'
import { limits } from '../../src/limits.ts'
import { awaitCancelled, leftBehind, newestSeq, takeLead } from '../../src/run/handover.ts'
import { type Claim, claimBlock, type PostedClaim } from '../../src/thread/claim.ts'
import { encode } from '../../src/thread/codec.ts'
import { never } from '../support/closing.ts'
import { session, turn } from '../thread/turns.ts'
import { Thread, VirtualTime, viewer } from './threads.ts'

type State = 'live' | 'ended' | 'unknown'

/** A thread in which run 1 has put up its claim for comment 101, and run 2 one for comment 102. */
function meeting({ state = 'live' as State, signal = never } = {}) {
  const time = new VirtualTime()
  const thread = new Thread(() => time.now)
  const claimOf = (run: string, request: string): Claim => ({ run, attempt: 1, id: `n${run}`, request })
  const working = (claim: Claim): string => `Working.\n\n${claimBlock(claim)}`
  thread.say('alice', '/oc one')
  thread.say('bob', '/oc two')
  const discussion = thread.discussion()
  const first = { ...claimOf('1', 'comment:101'), comment: thread.create(working(claimOf('1', 'comment:101'))).id }
  const second = { ...claimOf('2', 'comment:102'), comment: thread.create(working(claimOf('2', 'comment:102'))).id }
  const asked: number[] = []
  const facts = { state }
  const runState = async (): Promise<State> => {
    asked.push(time.now)
    return facts.state
  }
  const clock = { now: () => time.now, sleep: (ms: number) => time.wait(ms) }
  const watching = () => ({ watch: thread.watch(), viewer, runState, clock, signal })
  const enter = (own: PostedClaim) => takeLead({ ...watching(), own, discussion, leave: async () => thread.remove(own.comment) })
  const finish = (handled: number[]) => {
    const block = encode(turn(1, { session: session({ handled }) }), { seq: 1 }, [{ comment: first.comment, chars: 60_000 }]).join('')
    thread.update(first.comment, `Done.\n\n${block}`)
  }
  return { time, thread, facts, asked, first, second, enter, finish, discussion, cancel: () => awaitCancelled(watching()), working, watching }
}

test('the older claim leads, and asks nobody', async () => {
  const { enter, first, asked } = meeting()
  expect(await enter(first)).toMatchObject({ kind: 'lead', isStale: false, dead: [] })
  expect(asked).toEqual([])
})

test('the newer one takes its comment away and waits until the leader has taken its request', async () => {
  const { time, thread, enter, first, second, working } = meeting()
  const lead = enter(second)
  void time.wait(12_000).then(() => thread.update(first.comment, working({ ...first, taken: ['comment:102'] })))
  await time.pass()
  expect(await lead).toEqual({ kind: 'taken', run: '1' })
  expect(thread.body(second.comment)).toBe('')
  expect(time.now).toBeLessThan(20_000)
})

test('a turn that answered it counts as well, also when it came between two looks', async () => {
  const { time, enter, second, finish } = meeting()
  const lead = enter(second)
  void time.wait(12_000).then(() => finish([101, 102]))
  await time.pass()
  expect(await lead).toEqual({ kind: 'taken', run: '1' })
})

test('when the leader has answered without it, or told of its own failure, it starts over', async () => {
  const { time, enter, second, finish } = meeting()
  const lead = enter(second)
  void time.wait(12_000).then(() => finish([101]))
  await time.pass()
  expect(await lead).toEqual({ kind: 'again' })

  const other = meeting()
  const again = other.enter(other.second)
  void other.time
    .wait(12_000)
    .then(() => other.thread.update(other.first.comment, `Failed.\n\n${claimBlock({ ...other.first, taken: ['comment:102'], ended: true })}`))
  await other.time.pass()
  expect(await again).toEqual({ kind: 'again' })
})

test('a second webhook for the same comment ends at once (C14)', async () => {
  const { time, enter, second, first } = meeting()
  const lead = enter({ ...second, request: first.request })
  await time.pass()
  expect(await lead).toEqual({ kind: 'taken', run: '1' })
  expect(time.now).toBe(0)
})

test('a leader that gives no sign of life for three minutes is taken over; the runs API is asked twice a minute', async () => {
  const { time, enter, second, asked } = meeting({ state: 'unknown' })
  const lead = enter(second)
  await time.pass()
  expect(await lead).toEqual({ kind: 'again' })
  expect(time.now).toBeGreaterThan(limits.claimSilence)
  expect(time.now).toBeLessThan(limits.claimSilence + 10_000)
  expect(asked.length).toBeLessThanOrEqual(1 + limits.claimSilence / limits.runStateEvery)
})

test('a leader that goes on editing its comment is waited for', async () => {
  const { time, thread, enter, first, second, working, finish } = meeting()
  const lead = enter(second)
  const beat = async () => {
    for (let minute = 1; minute <= 9; minute++) {
      await time.wait(60_000)
      thread.update(first.comment, `${minute} ${working(first)}`)
    }
    finish([101])
  }
  void beat()
  await time.pass()
  expect(await lead).toEqual({ kind: 'again' })
  expect(time.now).toBeGreaterThan(500_000)
})

test('a leader of which GitHub says that it has ended is not waited for', async () => {
  const { time, facts, enter, second } = meeting()
  const lead = enter(second)
  void time.wait(20_000).then(() => {
    facts.state = 'ended'
  })
  await time.pass()
  expect(await lead).toEqual({ kind: 'again' })
  expect(time.now).toBeLessThan(60_000)
})

test('an older claim whose run has ended is passed over, and named as left behind', async () => {
  const { enter, first, second, thread, finish } = meeting({ state: 'ended' })
  const lead = await enter(second)
  expect(lead).toMatchObject({ kind: 'lead', dead: [{ run: '1', comment: first.comment }] })
  expect(leftBehind([first], thread.watched())).toEqual([first])
  finish([101])
  expect(leftBehind([first], thread.watched())).toEqual([])
})

test('an answer that is saved while the runs API is asked is seen before this run leads', async () => {
  const { time, thread, enter, second, facts, finish, first } = meeting({ state: 'ended' })
  expect(facts.state).toBe('ended')
  const look = thread.watch.bind(thread)
  let looks = 0
  thread.watch = () => {
    const watch = look()
    return {
      look: async () => {
        looks++
        if (looks === 2) finish([101, 102])
        return watch.look()
      },
    }
  }
  const lead = enter(second)
  await time.pass()
  expect(await lead).toMatchObject({ kind: 'lead', isStale: true, dead: [] })
  expect(thread.body(first.comment)).toMatch(/^Done\./)
})

test('a claim not edited for three minutes, by GitHub’s own clock, is dead at the first look', async () => {
  const { time, thread, discussion, watching } = meeting()
  await Promise.all([time.wait(240_000), time.pass()])
  const claim: Claim = { run: '3', attempt: 1, id: 'n3', request: 'comment:102' }
  const own = { ...claim, comment: thread.create(`Working.\n\n${claimBlock(claim)}`).id }
  expect(await takeLead({ ...watching(), own, discussion, leave: async () => undefined })).toMatchObject({ kind: 'lead', dead: [{ run: '1' }, { run: '2' }] })
})

test('a run that is stopped while it waits says so', async () => {
  const controller = new AbortController()
  const { time, enter, second } = meeting({ signal: controller.signal })
  const lead = enter(second)
  void time.wait(7_000).then(() => controller.abort())
  await time.pass()
  expect(await lead).toEqual({ kind: 'stopped' })
})

test('looks that fail are no news, and in the end silence', async () => {
  const { time, discussion, second, watching, thread } = meeting()
  const watch = thread.watch()
  let looks = 0
  const failing = { look: () => (++looks === 1 ? watch.look() : Promise.reject(new Error('down'))) }
  const lead = takeLead({ ...watching(), watch: failing, own: second, discussion, leave: async () => undefined })
  await time.pass()
  expect(await lead).toEqual({ kind: 'again' })
})

test('a cancel waits until the run at work has ended', async () => {
  const { time, thread, cancel, first, second } = meeting()
  thread.remove(second.comment)
  const cancelled = cancel()
  void time.wait(9_000).then(() => thread.update(first.comment, `Cancelled.\n\n${claimBlock({ ...first, ended: true })}`))
  await time.pass()
  expect(await cancelled).toEqual({ kind: 'ended', run: '1' })
})

test('a cancel of a run that is gone says that it died, and without a run that nothing is running', async () => {
  const { time, cancel, thread, first, second } = meeting()
  thread.remove(second.comment)
  const cancelled = cancel()
  await time.pass()
  expect(await cancelled).toEqual({ kind: 'died', run: '1' })
  thread.remove(first.comment)
  expect(await cancel()).toEqual({ kind: 'nothing' })
})

test('the newest number of a session is found in the bot’s own, genuine replies', () => {
  const { thread, finish } = meeting()
  expect(newestSeq(thread.watched(), { viewer, session: 'ses_01' })).toBe(0)
  finish([101])
  expect(newestSeq(thread.watched(), { viewer, session: 'ses_01' })).toBe(1)
  expect(newestSeq(thread.watched(), { viewer, session: 'ses_02' })).toBe(0)
  expect(newestSeq(thread.watched(), { viewer: 'somebody', session: 'ses_01' })).toBe(0)
})

test('a claim that died before the watch began, so that only the thread as it was read shows it, is left behind too', async () => {
  const { first, second, thread, watching } = meeting()
  const lately = thread.watched().filter(({ id }) => id !== first.comment)
  const watch = { look: async () => lately }
  const lead = await takeLead({ ...watching(), watch, own: second, discussion: thread.discussion(), leave: async () => undefined })
  expect(lead).toMatchObject({ kind: 'lead', dead: [{ run: '1', comment: first.comment }] })
  expect(leftBehind([first], lately)).toEqual([first])
})
