import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Trigger } from '../../src/event/trigger.ts'
import type { GitHub } from '../../src/github/types.ts'
import { createRedactor } from '../../src/report/redact.ts'
import { beforeOf } from '../../src/run/account.ts'
import { newClaim, openCheckpoints, resumedMessages } from '../../src/run/checkpoint.ts'
import { leftBehind, newestSeq, takeLead } from '../../src/run/handover.ts'
import { openInbox } from '../../src/run/inbox.ts'
import { owedRequests } from '../../src/run/queue.ts'
import { memoryStore } from '../../src/session/store.ts'
import { claimBlock, readClaim } from '../../src/thread/claim.ts'
import { stripHidden } from '../../src/thread/hidden.ts'
import { withAnswered } from '../../src/thread/keys.ts'
import { loadThread } from '../../src/thread/load.ts'
import { saveTurn } from '../../src/thread/save.ts'
import { never } from '../support/closing.ts'
import { assistant, session, user } from '../thread/turns.ts'
import { Thread, VirtualTime, viewer } from './threads.ts'

/** Runs that meet in one thread, each the way `run.ts` goes, without a model. */

const repository = { owner: 'octo', name: 'demo' }
const settings = { triggers: ['/oc'] }
const redactor = createRedactor([])

interface Plan {
  /** When the webhook's runner is ready, in ms. */
  readonly begins: number
  readonly steps: number
  /** How long each request to GitHub takes, and each step of the model; used in turn. */
  readonly delays: readonly number[]
  /** The request to GitHub during which the machine dies. */
  readonly dies?: number | undefined
}

class World {
  readonly time = new VirtualTime()
  readonly thread = new Thread(() => this.time.now)
  /** Which request each finished turn of each run answered. */
  readonly answers: { readonly run: string; readonly keys: readonly string[] }[] = []
  readonly outcomes = new Map<string, string>()
  readonly ended = new Set<string>()
  working = 0
  mostWorking = 0

  /** A GitHub as one run sees it: each call takes a while before it counts, and a while until the answer is there. */
  github({ delays, dies = Number.POSITIVE_INFINITY }: Plan, on: { readonly death: () => void; readonly reply: () => void }) {
    const { thread, time } = this
    let calls = 0
    const delay = () => time.wait(delays[calls % delays.length] ?? 0)
    const call = async <T>(effect: () => T | Promise<T>): Promise<T> => {
      calls++
      const isLast = calls === dies
      if (calls > dies) return new Promise(() => undefined)
      await delay()
      const result = await effect()
      if (isLast) {
        on.death()
        return new Promise(() => undefined)
      }
      await delay()
      return result
    }
    const comments: Pick<GitHub, 'createComment' | 'updateComment' | 'deleteComment'> = {
      createComment: (_, body) => call(() => thread.create(body)),
      updateComment: (id, body) =>
        call(() => {
          if (!readClaim(body)) on.reply()
          return thread.update(id, body)
        }),
      deleteComment: (id) => call(() => thread.remove(id)),
    }
    const watch = () => {
      const { look } = thread.watch()
      return { look: () => call(look) }
    }
    return {
      ...comments,
      watch,
      delay,
      discussion: () => call(() => thread.discussion()),
      runState: (run: string) => call(() => (this.ended.has(run) ? 'ended' : 'live')),
    }
  }

  /** One run, from its webhook to its end. What goes wrong in it is its outcome. */
  async run(id: string, trigger: Trigger, key: string, plan: Plan): Promise<void> {
    await this.#run(id, trigger, key, plan).catch((error: unknown) => this.outcomes.set(id, String(error instanceof Error ? error.stack : error)))
  }

  async #run(id: string, trigger: Trigger, key: string, plan: Plan): Promise<void> {
    const { time } = this
    let leads = false
    const stop = () => {
      if (leads) this.working--
      leads = false
    }
    const end = (outcome: string) => {
      stop()
      this.ended.add(id)
      this.outcomes.set(id, outcome)
    }
    // With the reply the work is done, although the run has yet to hear that it arrived.
    const github = this.github(plan, { death: () => end('died'), reply: stop })
    await time.wait(plan.begins)
    for (;;) {
      let discussion = await github.discussion()
      let thread = loadThread(discussion.comments, { viewer, mode: 'thread' })
      if (thread.answered.has(key)) return end('answered already')
      const claim = newClaim({ runId: id, attempt: 1 }, key)
      const working = await github.createComment(12, `Working.\n\n${claimBlock(claim)}`)
      const watch = github.watch()
      const lead = await takeLead({
        ...{ watch, viewer, discussion, runState: github.runState, signal: never, own: { ...claim, comment: working.id } },
        clock: { now: () => time.now, sleep: (ms) => time.wait(ms) },
        leave: () => github.deleteComment(working.id),
      })
      if (lead.kind === 'taken') return end(`handed over to ${lead.run}`)
      if (lead.kind === 'stopped') return end('stopped')
      if (lead.kind === 'again') continue
      if (lead.isStale) {
        discussion = await github.discussion()
        thread = loadThread(discussion.comments, { viewer, mode: 'thread' })
        if (thread.answered.has(key)) {
          await github.deleteComment(working.id)
          return end('answered already')
        }
      }
      leads = true
      this.working++
      this.mostWorking = Math.max(this.mostWorking, this.working)

      const queue = await owedRequests({ discussion, thread, own: trigger, runId: id, repository, settings }, async () => true)
      const [first, ...rest] = queue.requests
      if (!first) throw new Error('a run has at least its own request')
      const inbox = openInbox({
        watch,
        discussion,
        comments: lead.comments,
        first,
        rest,
        ...settings,
        mayAsk: async () => true,
        onCancel: () => undefined,
        now: () => time.now,
        every: 1e9,
      })
      const { checkpoint } = thread
      const record = checkpoint?.session ?? thread.session ?? session({ id: `ses_${id}`, created: Date.parse(discussion.comments.at(-1)?.createdAt ?? '') })
      const before = beforeOf(thread.messages, thread.session)
      const store = memoryStore(record, checkpoint ? resumedMessages(checkpoint, { now: () => time.now, sleep: () => time.wait(0) }) : thread.messages)
      const seq = thread.session?.id === record.id ? thread.seq + 1 : (checkpoint?.seq ?? 1)
      const body = openCheckpoints({ claim, seq, redactor, before })
      const ask = (text: string, name: string) => {
        const { info, parts } = user(`msg_${id}_${name}`, text)
        store.putMessage(info)
        for (const part of parts) store.putPart(part)
      }
      if (first.trigger.verb.type !== 'continue') ask(`request ${first.key}`, 'first')
      const taken = () => [...queue.resumed, ...inbox.taken()]
      const step = async (number: number) => {
        await github.delay()
        for (const { text, source } of await inbox.poll()) ask(`request comment:${source.id} ${text}`, `in${source.id}`)
        const question = store.messages().findLast(({ info }) => info.role === 'user')?.info.id ?? ''
        const { info, parts } = assistant(`msg_${id}_step${number}`, question, `step ${number}`)
        store.putMessage(info)
        for (const part of parts) store.putPart(part)
        await github.updateComment(working.id, body(working.id, 'Working.', { store, taken: taken(), promised: [...queue.resumed, ...inbox.promised()] }).body)
      }
      for (let number = 1; number <= plan.steps; number++) await step(number)
      for (let number = plan.steps + 1; await inbox.arrived(); number++) await step(number)
      inbox.close()
      const known = new Set(before.messages.map((message) => message.info.id))
      const messages = store.messages().filter((message) => !known.has(message.info.id))
      const keys = taken()
      const turn = { session: { ...record, ...withAnswered(record, keys) }, messages, lossy: false }
      const saved = await saveTurn(github, {
        issue: 12,
        comment: working,
        body: `Answer of ${id}.`,
        turn,
        seq: Math.max(seq, newestSeq(inbox.seen(), { viewer, session: record.id }) + 1),
      })
      this.answers.push({ run: id, keys })
      if (saved.notes.length > 0) throw new Error(saved.notes.join(' '))
      for (const { comment } of leftBehind(lead.dead, inbox.seen())) await github.deleteComment(comment)
      return end('answered')
    }
  }

  /** Somebody writes a request at some time, and its webhook starts a run. */
  async request(number: number, at: number, plan: Plan): Promise<string> {
    await this.time.wait(at)
    const id = this.thread.say('alice', `/oc request ${number}`)
    void this.run(String(number), this.triggerOf(id), `comment:${id}`, plan)
    return `comment:${id}`
  }

  triggerOf(id: number): Trigger {
    const comment = this.thread.comments().find((each) => each.id === id)
    if (!comment) throw new Error(`there is no comment ${id}`)
    return {
      event: 'issue_comment',
      repository,
      actor: { login: 'alice', type: 'User' },
      verb: { type: 'prompt', text: comment.body.slice(4) },
      subject: { number: 12, isPull: false, title: 'Dates', body: '', author: 'rita', locked: false, state: 'open' },
      comment: { id, url: comment.url, body: comment.body, createdAt: comment.createdAt },
    }
  }

  /** What became of each request: the runs that answered it. */
  answersOf(key: string): string[] {
    return this.answers.filter(({ keys }) => keys.includes(key)).map(({ run }) => run)
  }

  load() {
    return loadThread(this.thread.comments(), { viewer, mode: 'thread' })
  }
}

const anyPlan = fc.record({
  begins: fc.nat({ max: 8_000 }),
  steps: fc.integer({ min: 1, max: 4 }),
  delays: fc.array(fc.nat({ max: 4_000 }), { minLength: 1, maxLength: 9 }),
})
const anyRequest = fc.record({ at: fc.nat({ max: 30_000 }), plan: anyPlan })

async function play(requests: readonly { at: number; plan: Plan }[]): Promise<{ world: World; keys: string[] }> {
  const world = new World()
  const keys = requests.map(({ at, plan }, index) => world.request(index + 1, at, plan))
  await world.time.pass()
  return { world, keys: await Promise.all(keys) }
}

test('however requests of one thread race, each is answered by one run, never by two, and never do two runs work at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRequest, { minLength: 2, maxLength: 4 }), async (requests) => {
      const { world, keys } = await play(requests)
      for (const key of keys) expect(world.answersOf(key)).toHaveLength(1)
      expect(world.mostWorking).toBe(1)
      expect(
        [...world.outcomes.values()].filter((outcome) => outcome !== 'answered' && outcome !== 'answered already' && !outcome.startsWith('handed over')),
      ).toEqual([])
      expect(world.outcomes.size).toBe(requests.length)
      const loaded = world.load()
      expect(keys.filter((key) => !loaded.answered.has(key))).toEqual([])
      expect(loaded).toMatchObject({ warnings: [] })
      expect(world.thread.entries.map(({ body }) => stripHidden(body)).filter((text) => text === 'Working.')).toEqual([])
    }),
    { numRuns: 60, endOnFailure: true },
  )
})

test('whenever machines die, what they left is answered by whoever comes next, and no message of theirs is lost', async () => {
  const anyMortal = fc.record({ at: fc.nat({ max: 20_000 }), plan: anyPlan, dies: fc.option(fc.integer({ min: 2, max: 14 }), { nil: undefined }) })
  const mortal = anyMortal.map(({ at, plan, dies }) => ({ at, plan: { ...plan, dies } }))
  await fc.assert(
    fc.asyncProperty(fc.array(mortal, { minLength: 1, maxLength: 3 }), anyPlan, async (requests, last) => {
      const { world, keys } = await play([...requests, { at: 600_000, plan: last }])
      for (const key of keys) expect(world.answersOf(key).length).toBeLessThanOrEqual(1)
      expect(world.mostWorking).toBe(1)
      const loaded = world.load()
      // Only of a request from before all that the action is known to have worked on nobody knows whether it was ever meant for it.
      const owed = keys.filter((key) => !loaded.answered.has(key))
      const times = new Map(world.thread.comments().map(({ id, createdAt }) => [`comment:${id}`, createdAt]))
      const first = [...loaded.answered].map((key) => times.get(key) ?? '').toSorted()[0] ?? ''
      expect(owed.filter((key) => (times.get(key) ?? '') >= first)).toEqual([])
      expect(owed.filter((key) => world.outcomes.get(String(keys.indexOf(key) + 1)) !== 'died')).toEqual([])
      const words = JSON.stringify(loaded.messages)
      for (const key of keys.filter((each) => !owed.includes(each))) expect(words.split(`request ${key}`).length - 1).toBe(1)
    }),
    { numRuns: 60, endOnFailure: true },
  )
})

test('two webhooks for one comment lead to one answer (C14)', async () => {
  await fc.assert(
    fc.asyncProperty(anyPlan, anyPlan, async (one, two) => {
      const world = new World()
      const id = world.thread.say('alice', '/oc request 1')
      const trigger = world.triggerOf(id)
      void world.run('1', trigger, `comment:${id}`, one)
      void world.run('2', trigger, `comment:${id}`, two)
      await world.time.pass()
      expect(world.answersOf(`comment:${id}`)).toHaveLength(1)
      expect([...world.outcomes.values()].filter((outcome) => outcome === 'answered')).toHaveLength(1)
    }),
    { numRuns: 30, endOnFailure: true },
  )
})
