import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/local/model.ts'
import type { World } from '../../src/local/world.ts'
import { chunks, cut, DONE, delta, event, http, raw, type SseModel, sseModel, text } from '../support/sse-model.ts'
import { comments } from '../support/world.ts'
import { comment, expectExit, fixDate, isRunningWith, within, writes } from './support.ts'

/** Public cases of the loop and of the model's streams, as far as a person on GitHub could see them. */

/** A world whose model sends what the test writes down byte by byte. */
async function withStream(play: (world: World, model: SseModel, ask: (body: string) => ReturnType<typeof comment>) => Promise<void>): Promise<void> {
  await using model = await sseModel()
  await within({}, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    await play(world, model, (body) =>
      comment(world, number, 'alice', body, { inputs: { model: 'acme/m', 'base-url': model.url, 'api-key': 'sk-acme-0123456789' } }),
    )
  })
}

const pushes = (world: World) =>
  world.github.journal.filter(({ kind, method, path }) => kind === 'git' && method === 'POST' && path.endsWith('receive-pack')).length
const reply = (world: World) => comments(world, 1).at(-1)?.body ?? ''
const call = (id: string, name: string, args: Record<string, unknown>) => ({ calls: [{ id, name, arguments: args }] })

describe('answers of the model', () => {
  test.each([
    ['a finish reason nobody knows', chunks(delta({ content: 'All is well.' }), delta({}, 'eos'))],
    ['the end mark in place of a finish reason', raw(event(delta({ content: 'All is well.' })), DONE)],
  ])('C50 a text with %s is the answer, after one request', (_, answer) =>
    withStream(async (world, model, ask) => {
      model.otherwise(answer)
      expectExit(await ask('/opencode is all well?'), 0)
      expect(reply(world)).toContain('All is well.')
      expect(model.requests).toHaveLength(1)
    }),
  )

  test('C151 half an answer is not posted: it is asked for again, and the thread shows the whole one', () =>
    withStream(async (world, model, ask) => {
      model.queue(cut(delta({ content: 'Half of' })), text('The whole answer.'))
      const done = await ask('/opencode is all well?')
      expectExit(done, 0)
      expect(reply(world)).toContain('The whole answer.')
      expect(JSON.stringify(comments(world, 1)) + done.outputs.response).not.toContain('Half of')
      expect(model.requests).toHaveLength(2)
    }))

  test('C161 thoughts are not part of the reply', () =>
    withStream(async (world, model, ask) => {
      model.queue(chunks(delta({ content: '', reasoning_content: 'Let me think.' }), delta({ content: 'Answer.' }), delta({}, 'stop')))
      expectExit(await ask('/opencode is all well?'), 0)
      expect(reply(world)).toContain('Answer.')
      expect(reply(world)).not.toContain('Let me think.')
    }))

  test('C57 a used-up quota ends the run at once, in the provider’s words; a limit that passes in a moment does not', () =>
    withStream(async (world, model, ask) => {
      model.otherwise(http(429, { error: { code: 'insufficient_quota', message: 'You have run out of credits this month.' } }))
      const done = await ask('/opencode is all well?')
      expectExit(done, 1)
      expect(model.requests).toHaveLength(1)
      for (const said of [reply(world), done.outputs.reason, done.summary, done.stdout]) expect(said).toContain('You have run out of credits this month.')

      model.otherwise(text('All is well.'))
      model.queue(http(429, { error: { message: 'rate limit, try again in 2s' } }, { 'retry-after-ms': '20' }))
      expectExit(await ask('/opencode and now?'), 0)
      expect(reply(world)).toContain('All is well.')
    }))

  test('C62 a wrong key makes the job red, with the provider’s words and the run’s address, and without the key', () =>
    withStream(async (world, model, ask) => {
      model.otherwise(http(401, { error: { message: 'bad key sk-acme-0123456789' } }))
      const done = await ask('/opencode is all well?')
      expectExit(done, 1)
      expect(done.outputs.conclusion).toBe('failure')
      expect(reply(world)).toContain('bad key')
      expect(reply(world)).toMatch(/\/octo\/demo\/actions\/runs\/\d+/)
      expect(reply(world)).toContain('api-key')
      expect([reply(world), done.stdout, done.summary, JSON.stringify(done.outputs)].join()).not.toContain('0123456789')
      expect(done.stdout).not.toMatch(/^\s+at /m)
    }))

  test('C47 a first request that is too long for the model ends in one clear comment', () =>
    withStream(async (world, model, ask) => {
      model.otherwise(http(400, { error: { code: 'context_length_exceeded', message: 'This model’s maximum context length is 8192 tokens.' } }))
      world.github.comment(1, 'rita', 'long '.repeat(80_000))
      const done = await ask('/opencode summarise this')
      expectExit(done, 1)
      expect(reply(world)).toMatch(/too long|context length/)
      expect(reply(world)).toContain('session: new')
      // Once, and at the most a few more tries with less of it.
      expect(model.requests.length).toBeLessThanOrEqual(4)
      expect(comments(world, 1)).toHaveLength(3)
    }))
})

describe('a loop that does not end by itself', () => {
  const forever: Script = ({ messages, mayCall }) =>
    mayCall ? call(`read_${messages.length}`, 'read', { filePath: 'README.md' }) : { text: 'I only ever read the README.' }

  test('C52 the same call for ever is brought to an end, and the reply says what there is', () =>
    within({ script: forever }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const done = await comment(world, number, 'alice', '/opencode fix it', { inputs: { 'max-steps': '1000' } })
      expectExit(done, 0)
      expect(world.model?.requests().length).toBeLessThan(12)
      expect(reply(world)).toContain('I only ever read the README.')
      // The model was told of it before it was stopped.
      expect(JSON.stringify(world.model?.requests().at(-2)?.messages)).toContain('3 times')
    }))

  test('C54 the last step asks in a user message, carries out no call, and its work is published', () =>
    within(
      {
        // It calls on, whatever it is told.
        script: ({ messages }) => {
          const count = messages.filter(({ role }) => role === 'tool').length
          return call(`write_${count}`, 'write', { filePath: `${count}.txt`, content: 'x' })
        },
      },
      async (world) => {
        const { number } = world.github.openIssue({ title: 'Write files', author: 'rita' })
        const done = await comment(world, number, 'alice', '/opencode write', { inputs: { 'max-steps': '2' } })
        expectExit(done, 0)
        const requests = world.model?.requests() ?? []
        expect(requests.length).toBeLessThanOrEqual(3)
        for (const { messages, tools } of requests) {
          expect(messages.at(-1)?.role).not.toBe('assistant')
          expect(tools).toEqual(requests[0]?.tools)
        }
        expect(requests.at(-1)).toMatchObject({ tool_choice: 'none' })
        expect(requests.at(-1)?.messages.at(-1)?.role).toBe('user')
        expect(done.outputs).toMatchObject({ 'changed-files': '0.txt', 'pull-request-operation': 'created' })
        expect(reply(world)).toContain('0.txt')
      },
    ))

  test('C63 work that ends without a word is asked about once, then told from what was changed', () =>
    within({ script: (conversation) => (fixDate(conversation).calls ? fixDate(conversation) : { text: '' }) }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const done = await comment(world, number, 'alice', '/opencode fix it')
      expectExit(done, 0)
      const requests = world.model?.requests() ?? []
      expect(requests).toHaveLength(4)
      expect(requests[3]?.tool_choice).toBe('none')
      expect(reply(world)).toContain('`src/date.js` (modified)')
      expect(done.outputs['pull-request-operation']).toBe('created')
    }))
})

test('C61 a cancelled job kills what was running, asks nothing more, pushes nothing, cleans up and is red', () => {
  const long = `60.${randomInt(1e9)}`
  return within({ script: () => call('bash_1', 'bash', { command: `touch started; sleep ${long} & wait` }) }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const workspace = await world.checkout()
    const cancel = new AbortController()
    const watch = setInterval(() => existsSync(join(workspace, 'started')) && isRunningWith(long) && cancel.abort(), 20)
    const done = await comment(world, number, 'alice', '/opencode sleep', { signal: cancel.signal }).finally(() => clearInterval(watch))
    expectExit(done, 1)
    expect(done.outputs.conclusion).toBe('cancelled')
    expect(world.model?.requests()).toHaveLength(1)
    expect(writes(world).filter((write) => write.endsWith('/pulls'))).toEqual([])
    expect(pushes(world)).toBe(0)
    expect((await world.remote('branch', '--format=%(refname:short)')).trim()).toBe('main')
    expect(comments(world, number)).toHaveLength(2)
    expect(reply(world)).toMatch(/cancel|stopped/i)
    expect(world.github.thread(number).comments[0]?.reactions).toEqual([])
    // The patch of what there was is kept; the sleeping child is gone.
    expect(done.outputs['patch-path']).toBeDefined()
    expect(isRunningWith(long)).toBe(false)
  })
})

test('C168 tools, git and the reply work on the workspace, wherever the process was started', () =>
  within({ script: fixDate }, async (world) => {
    const elsewhere = join(world.folder, 'elsewhere')
    await mkdir(elsewhere)
    const bundle = join(elsewhere, 'start.mjs')
    await writeFile(bundle, `process.chdir('/'); process.argv[1] = ${JSON.stringify(world.bundle)}; await import(${JSON.stringify(world.bundle)})`)
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/opencode fix it', { bundle })
    expectExit(done, 0)
    expect(done.outputs['changed-files']).toBe('src/date.js')
    expect(JSON.stringify(world.model?.requests()[0]?.messages)).toContain(world.workspace)
  }))

test('C165 an input that is there but empty is one that was not given', () =>
  withStream(async (world, model) => {
    model.otherwise(text('All is well.'))
    const done = await comment(world, 1, 'alice', '/opencode is all well?', {
      inputs: { model: 'acme/m', 'api-key': '', 'base-url': '' },
      env: { ACME_API_KEY: 'sk-from-the-environment', ACME_BASE_URL: model.url },
    })
    expectExit(done, 0)
    expect(model.requests[0]?.headers.authorization).toBe('Bearer sk-from-the-environment')
  }))
