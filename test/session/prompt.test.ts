import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hooks } from '../../src/session/hooks.ts'
import type { Part, WithParts } from '../../src/session/message.ts'
import { UnknownNameError } from '../../src/session/refusals.ts'
import type { PromptPart } from '../../src/session/user.ts'
import { type SseModel, sseModel, text, whenAsked } from '../support/sse-model.ts'
import { bench } from '../tool/kit.ts'
import { partTypes, result, type Setup, setup, textOf, tool } from './harness.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
  server.otherwise(text('Done'))
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

/** Stores parts as a user message without asking the model. */
async function store(parts: readonly PromptPart[], options: Setup = {}) {
  const made = setup(server, options)
  const message = await made.engine.prompt({ parts, noReply: true })
  return { ...made, message, errors: made.events.flatMap((event) => (event.type === 'error' ? [event.error.message] : [])) }
}

const file = (root: string, path: string, rest: Partial<Extract<PromptPart, { type: 'file' }>> & { query?: string } = {}): PromptPart => {
  const { query = '', ...more } = rest
  return { type: 'file', mime: 'text/plain', url: pathToFileURL(join(root, path)).href + query, filename: path, ...more }
}
const textsOf = (message: WithParts) => message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
const infoOf = (message: WithParts) => {
  if (message.info.role !== 'user') throw new Error('not a user message')
  return message.info
}

const png = (width: number, height: number, length = 100) => {
  const bytes = Buffer.alloc(length)
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
const dataUrl = (mime: string, bytes: Buffer) => `data:${mime};base64,${bytes.toString('base64')}`

describe('who answers', () => {
  const own = { providerID: 'test', modelID: 'own-model' }
  const asked = { providerID: 'test', modelID: 'asked-model' }
  const agents = [{ name: 'build' }, { name: 'writer', model: own, variant: 'high' }, { name: 'shy', hidden: true }]
  const say = [{ type: 'text', text: 'hello' }] as const
  const infoFor = async (input: object, options: Setup = {}) =>
    infoOf(await setup(server, { agents, ...options }).engine.prompt({ parts: say, noReply: true, ...input }))

  test('the agent that is named, else the one that leads the session', async () => {
    expect((await infoFor({ agent: 'writer' })).agent).toBe('writer')
    expect((await infoFor({})).agent).toBe('build')
  })

  test('an unknown agent is an error that lists those that are not hidden, also for listeners, and stores nothing', async () => {
    const { engine, store: stored, events } = setup(server, { agents })
    const failure = await engine.prompt({ parts: say, agent: 'nobody' }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UnknownNameError)
    expect(failure).toMatchObject({ message: expect.stringContaining('"nobody"'), hint: 'The agents are: build, writer.' })
    expect(events).toContainEqual({ type: 'error', error: expect.objectContaining({ message: expect.stringContaining('nobody') }) })
    expect(stored.messages()).toEqual([])
  })

  test('the model that is asked for, else the agent’s, else the session’s; the session notes it', async () => {
    expect((await infoFor({ agent: 'writer', model: asked })).model).toEqual(asked)
    expect((await infoFor({ agent: 'writer' })).model).toEqual(own)
    expect((await infoFor({})).model).toEqual({ providerID: 'test', modelID: 'test-model' })
    const { engine, store: stored } = setup(server, { agents })
    await engine.prompt({ parts: say, agent: 'writer', noReply: true })
    expect(stored.session).toMatchObject({ agent: 'writer', model: own })
  })

  test('an agent’s variant goes with its own model only; one that is asked for always wins', async () => {
    expect((await infoFor({ agent: 'writer' })).variant).toBe('high')
    expect((await infoFor({ agent: 'writer', model: own })).variant).toBe('high')
    expect((await infoFor({ agent: 'writer', model: asked })).variant).toBeUndefined()
    expect((await infoFor({ agent: 'writer', variant: 'low' })).variant).toBe('low')
    expect((await infoFor({ agent: 'writer', model: asked, variant: 'low' })).variant).toBe('low')
  })

  test('the agent a message names leads the run that answers it', async () => {
    const { engine } = setup(server, { agents: [{ name: 'build' }, { name: 'poet', prompt: 'You are a poet.' }] })
    const answer = await engine.prompt({ parts: say, agent: 'poet' })
    expect(answer.info.agent).toBe('poet')
    expect(server.requests[0]?.body.messages[0]?.content).toMatch(/^You are a poet\./)
    expect((await engine.prompt({ parts: say })).info.agent).toBe('build')
  })

  test('the model a message names is opened and answers it; the next message has the session’s again', async () => {
    const opened: string[] = []
    const { engine } = setup(server, {
      agents,
      openModel: async ({ modelID }) => {
        opened.push(modelID)
        return server.model({ modelID })
      },
    })
    const answer = await engine.prompt({ parts: say, model: asked })
    expect(answer.info.model).toEqual(asked)
    await engine.prompt({ parts: say, model: { providerID: 'test', modelID: 'test-model' } })
    expect(opened).toEqual(['asked-model'])
    expect(server.requests.map(({ body }) => body.model)).toEqual(['asked-model', 'test-model'])
  })

  test('a model that can’t be opened ends the run with its reason, also for listeners', async () => {
    const { engine, events } = setup(server, { agents, openModel: () => Promise.reject(new Error('no key')) })
    await expect(engine.prompt({ parts: say, model: asked })).rejects.toThrow('no key')
    expect(events).toContainEqual({ type: 'error', error: expect.objectContaining({ message: expect.stringContaining('test/asked-model') }) })
    expect(server.requests).toHaveLength(0)
  })
})

describe('the message', () => {
  test('is stored before its parts, with ascending ids in the order of the input', async () => {
    const { events, message } = await store([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ])
    expect(events.map(({ type }) => type)).toEqual(['message', 'part', 'part'])
    expect(textsOf(message)).toEqual(['one', 'two'])
    const ids = message.parts.map(({ id }) => id)
    expect(ids.toSorted()).toEqual(ids)
  })

  test('parts keep the order of the input although they are read side by side', async () => {
    const ends = new Map<string, () => void>()
    const read = tool('read', () => result('unused'))
    const slow = {
      ...read,
      async execute(input: unknown) {
        const name = JSON.stringify(input).includes('first') ? 'first' : 'second'
        await new Promise<void>((resolve) => {
          ends.set(name, resolve)
          if (ends.size === 2) ends.get('second')?.()
        })
        if (name === 'second') ends.get('first')?.()
        return result(`content of ${name}`)
      },
    }
    const { message } = await store([file('/repo', 'first.ts'), file('/repo', 'second.ts'), { type: 'text', text: 'compare' }], { tools: [slow] })
    expect(textsOf(message).filter((each) => !each.includes('called'))).toEqual(['content of first', 'content of second', 'compare'])
  })

  test('switching tools on and off sets the session’s rules and replaces earlier ones; none leave them alone', async () => {
    const { engine, store: stored } = setup(server)
    const parts = [{ type: 'text', text: 'hello' }] as const
    await engine.prompt({ parts, tools: { bash: false, read: true }, noReply: true })
    expect(stored.session.permission).toEqual([
      { permission: 'bash', pattern: '*', action: 'deny' },
      { permission: 'read', pattern: '*', action: 'allow' },
    ])
    await engine.prompt({ parts, tools: {}, noReply: true })
    expect(stored.session.permission).toHaveLength(2)
    const message = await engine.prompt({ parts, tools: { edit: false }, noReply: true })
    expect(stored.session.permission).toEqual([{ permission: 'edit', pattern: '*', action: 'deny' }])
    expect(infoOf(message).tools).toEqual({ edit: false })
  })

  test('that arrives during a run is the last one of the next request, and the answer is its', async () => {
    const { engine, ask } = setup(server)
    let second: Promise<WithParts> | undefined
    server.queue(
      whenAsked(async () => {
        second = engine.prompt({ parts: [{ type: 'text', text: 'and the docs' }] })
        await engine.prompt({ parts: [{ type: 'text', text: 'wait' }], noReply: true })
      }, text('First')),
      text('Both'),
    )
    const answer = await ask()
    expect(textOf(answer)).toBe('Both')
    expect(await second).toBe(answer)
    expect(server.requests[1]?.body.messages.at(-1)).toEqual({ role: 'user', content: 'wait' })
    expect(server.requests).toHaveLength(2)
  })

  test('that comes while the last allowed step runs is still answered', async () => {
    const { engine, ask } = setup(server, { maxSteps: 1 })
    let second: Promise<WithParts> | undefined
    server.queue(
      whenAsked(async () => {
        second = engine.prompt({ parts: [{ type: 'text', text: 'one more' }] })
        await engine.prompt({ parts: [{ type: 'text', text: 'note' }], noReply: true })
      }, text('First')),
      text('Second'),
    )
    expect(textOf(await ask())).toBe('First')
    expect(second && textOf(await second)).toBe('Second')
  })
})

describe('a plugin', () => {
  const changing = (change: (output: { message: object; parts: Part[] }) => void): Hooks => ({
    async trigger(name, _input, output) {
      if (name === 'chat.message' && 'message' in output) change(output)
      return output
    },
  })
  const parts = [{ type: 'text', text: 'hello' }] as const

  test('may change a message and its parts before they are stored', async () => {
    const hooks = changing(({ message, parts: list }) => {
      Object.assign(message, { system: 'Be brief.' })
      list.push({ id: 'prt_plugin', messageID: 'msg_any', type: 'text', text: 'and bye' })
    })
    const { message } = await store(parts, { hooks })
    expect(message.info).toMatchObject({ system: 'Be brief.' })
    expect(textsOf(message)).toEqual(['hello', 'and bye'])
    expect(new Set(message.parts.map(({ messageID }) => messageID))).toEqual(new Set([message.info.id]))
  })

  test('that makes nonsense of them is reported, and the message is stored as it was', async () => {
    const hooks = changing(({ message, parts: list }) => {
      Object.assign(message, { agent: 7 })
      for (const part of list) Object.assign(part, { text: null })
      Object.assign(list, { 1: { type: 'spell' } })
    })
    const { message, errors } = await store(parts, { hooks })
    expect(message.info).toMatchObject({ agent: 'build' })
    expect(textsOf(message)).toEqual(['hello'])
    expect(errors).toHaveLength(3)
    expect(errors.every((error) => error.includes('plugin'))).toBe(true)
  })
})

describe('an attached text file', () => {
  test('is a read that already happened: the call, what it gave, and the file itself, which is not sent', async () => {
    const { root, tools } = bench({ files: { 'src/a.ts': 'one\ntwo\n' } })
    const { message, ask } = await store([{ type: 'text', text: 'explain' }, file(root, 'src/a.ts')], { tools })
    expect(partTypes(message.parts)).toEqual(['text', 'text', 'text', 'file'])
    expect(textsOf(message)[1]).toContain(JSON.stringify({ filePath: join(root, 'src/a.ts') }))
    expect(textsOf(message)[2]).toContain('1: one\n2: two')
    expect(message.parts.slice(1, 3)).toMatchObject([{ synthetic: true }, { synthetic: true }])
    await ask('go on')
    expect(server.requests[0]?.body.messages[1]?.content).toMatch(/^explain\n\n[\s\S]*1: one\n2: two/)
  })

  test('may be asked for in part: lines from start to end, both included', async () => {
    const { root, tools } = bench({ files: { 'a.txt': 'l1\nl2\nl3\nl4\nl5\n' } })
    const { message } = await store([file(root, 'a.txt', { query: '?start=2&end=3' }), file(root, 'a.txt', { query: '?start=5' })], { tools })
    const [, middle, , end] = textsOf(message)
    expect(middle).toMatch(/2: l2\n3: l3\n<\/content>/)
    expect(middle).not.toContain('l4')
    expect(middle).not.toContain('l1')
    expect(end).toMatch(/<content>\n5: l5\n/)
  })

  test('may have a # or a space in its name', async () => {
    const { root, tools } = bench({ files: { 'a #1.txt': 'here' } })
    const { message } = await store([file(root, 'a #1.txt')], { tools })
    expect(textsOf(message)[1]).toContain('1: here')
  })

  test('that is not there leaves a note and an error event; the message is sent all the same', async () => {
    const { root, tools } = bench()
    const { engine, events } = setup(server, { tools })
    await engine.prompt({ parts: [{ type: 'text', text: 'look' }, file(root, 'gone.ts')] })
    expect(server.requests[0]?.body.messages.at(-1)?.content).toMatch(/^look\n\n.*gone\.ts/)
    expect(events).toContainEqual({ type: 'error', error: expect.objectContaining({ message: expect.stringContaining('gone.ts') }) })
  })

  test('outside the workspace is not read', async () => {
    const { outside, tools } = bench()
    const { message, errors } = await store([file(outside, 'secret.txt')], { tools })
    expect(textsOf(message).join()).toContain('outside the workspace')
    expect(errors).toHaveLength(1)
  })

  test('that the rules forbid to read is not read either', async () => {
    const { root, tools } = bench({ files: { '.env': 'TOKEN=hush', 'a.ts': 'fine' } })
    const permission = [
      { permission: '*', pattern: '*', action: 'allow' as const },
      { permission: 'read', pattern: '*.env', action: 'ask' as const },
    ]
    const { message, errors } = await store([file(root, '.env'), file(root, 'a.ts')], { tools, agent: { name: 'build', permission } })
    expect(textsOf(message).join()).not.toContain('hush')
    expect(textsOf(message).join()).toContain('1: fine')
    expect(errors).toHaveLength(1)
  })

  test('gives the read tool the signal of the run', async () => {
    const controller = new AbortController()
    let seen: AbortSignal | undefined
    const read = tool('read', (_, { signal }) => {
      seen = signal
      return result('x')
    })
    await store([file('/repo', 'a.ts')], { tools: [read], signal: controller.signal })
    controller.abort()
    expect(seen?.aborted).toBe(true)
  })

  test('with broken data leaves a note', async () => {
    const { message, errors } = await store([{ type: 'file', mime: 'text/plain', url: 'data:text/plain,100%', filename: 'odd.txt' }])
    expect(textsOf(message)).toEqual([expect.stringContaining('odd.txt')])
    expect(errors).toHaveLength(1)
  })
})

test('an attached folder is a list that already happened', async () => {
  const { root, tools } = bench({ files: { 'src/a.ts': '', 'src/b.ts': '' } })
  mkdirSync(join(root, 'empty'))
  const { message } = await store([file(root, 'src', { mime: 'application/x-directory' })], { tools })
  expect(textsOf(message)[0]).toContain('`list`')
  expect(textsOf(message)[1]).toMatch(/a\.ts\nb\.ts/)
  expect(partTypes(message.parts)).toEqual(['text', 'text', 'file'])
})

describe('attached images and PDFs', () => {
  test('of the checkout become data the model is sent', async () => {
    const { root, tools } = bench({ files: { 'shot.png': png(10, 20), 'doc.pdf': '%PDF-1.7\n' } })
    const { message } = await store([file(root, 'shot.png', { mime: 'image/png' }), file(root, 'doc.pdf', { mime: 'application/pdf' })], { tools })
    const files = message.parts.filter((part) => part.type === 'file')
    expect(files).toMatchObject([
      { mime: 'image/png', url: dataUrl('image/png', png(10, 20)) },
      { mime: 'application/pdf', url: expect.stringMatching(/^data:application\/pdf;base64,/) },
    ])
  })

  test('within the limits stay as they are', async () => {
    const url = dataUrl('image/png', png(2000, 2000))
    const { message } = await store([{ type: 'file', mime: 'image/png', url, filename: 'a.png' }])
    expect(message.parts).toMatchObject([{ type: 'file', url, filename: 'a.png' }])
  })

  test.each([
    ['too wide', png(2001, 10)],
    ['too heavy', png(10, 10, 4_000_000)],
  ])('an image that is %s is replaced by a note where nothing can make it smaller', async (_, bytes) => {
    const { message } = await store([{ type: 'file', mime: 'image/png', url: dataUrl('image/png', bytes), filename: 'big.png' }])
    expect(message.parts).toMatchObject([{ type: 'text', synthetic: true, text: expect.stringContaining('big.png') }])
  })

  test('are given to the scaler with the limits, and what it makes of them is sent', async () => {
    const asked: unknown[] = []
    const small = { mime: 'image/jpeg', data: Buffer.from('small') }
    const { message } = await store([{ type: 'file', mime: 'image/png', url: dataUrl('image/png', png(9000, 9000)), filename: 'big.png' }], {
      scaleImage: async ({ mime }, max) => {
        asked.push({ mime, max })
        return small
      },
    })
    expect(asked).toEqual([{ mime: 'image/png', max: { side: 2000, base64: 5_242_880 } }])
    expect(message.parts).toMatchObject([{ type: 'file', mime: 'image/jpeg', url: dataUrl('image/jpeg', small.data), filename: 'big.png' }])
  })
})

describe('resources of an MCP server', () => {
  const resource = (uri: string): PromptPart => ({ type: 'file', mime: 'text/plain', url: uri, filename: uri, resource: { server: 'docs', uri } })
  const blob = (mimeType: string, bytes: number) => ({ uri: 'mem://x', mimeType, blob: Buffer.alloc(bytes).toString('base64') })

  test('are read into texts and files', async () => {
    const { message } = await store([resource('mem://guide')], {
      readResource: async (name, uri) => [{ uri, text: `guide of ${name}` }, blob('image/png', 30)],
    })
    expect(textsOf(message)).toEqual([expect.stringContaining('mem://guide'), 'guide of docs'])
    expect(message.parts.at(-1)).toMatchObject({ type: 'file', mime: 'image/png', url: expect.stringMatching(/^data:image\/png/) })
  })

  test('are left out, with a note, when they are of a kind no model reads or of more than 10 MiB', async () => {
    const limit = 10 * 1024 * 1024
    const { message } = await store([resource('mem://x')], {
      readResource: async () => [blob('application/zip', 10), blob('application/pdf', limit), blob('application/pdf', limit + 1)],
    })
    expect(message.parts.map((part) => (part.type === 'file' ? part.mime : part.type === 'text' && part.text.startsWith('[')))).toEqual([
      false,
      true,
      'application/pdf',
      true,
    ])
    expect(textsOf(message)[1]).toContain('application/zip')
    expect(textsOf(message)[2]).toContain(String(limit + 1))
  })

  test('that can’t be read leave a note and an error event', async () => {
    const failing = await store([resource('mem://x')], { readResource: () => Promise.reject(new Error('server is gone')) })
    expect(textsOf(failing.message)).toEqual([expect.stringContaining('server is gone')])
    expect(failing.errors).toHaveLength(1)
    const without = await store([resource('mem://x')])
    expect(textsOf(without.message)).toEqual([expect.stringContaining('no MCP server docs')])
  })
})

describe('a named agent', () => {
  test('is kept, with the hint to call task for it', async () => {
    const { message } = await store([{ type: 'agent', name: 'explore' }])
    expect(message.parts).toMatchObject([
      { type: 'agent', name: 'explore' },
      { type: 'text', synthetic: true, text: expect.stringMatching(/`explore`[\s\S]*task tool/) },
    ])
  })

  test('that the rules do not offer is said to be there all the same', async () => {
    const permission = [
      { permission: '*', pattern: '*', action: 'allow' as const },
      { permission: 'task', pattern: 'explore', action: 'deny' as const },
    ]
    const { message } = await store([{ type: 'agent', name: 'explore' }], { agent: { name: 'build', permission } })
    expect(textsOf(message)).toEqual([expect.stringContaining('It exists')])
  })
})
