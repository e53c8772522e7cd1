import { spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Command, type Commands, expandCommand, splitArguments } from '../../src/session/command.ts'
import type { noHooks } from '../../src/session/hooks.ts'
import { UnknownNameError } from '../../src/session/refusals.ts'
import { type SseModel, sseModel, text } from '../support/sse-model.ts'
import { type Setup, setup } from './harness.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
  server.otherwise(text('Done'))
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const { signal } = new AbortController()
/** A real shell, so that quoting is put to the test. */
const shell = async (command: string) => spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stdout
const fill = async (template: string, given = '') => (await expandCommand({ name: 'x', template }, given, shell, signal)).text

describe('arguments', () => {
  test.each([
    ['one two', ['one', 'two']],
    ['"one two" three', ['one two', 'three']],
    ["'a b' c", ['a b', 'c']],
    ["don't stop", ["don't", 'stop']],
    ['see [Image 1] please', ['see', '[Image 1]', 'please']],
    ['  spaced\tout\n', ['spaced', 'out']],
    ['"" x', ['', 'x']],
    ['', []],
  ])('%j are %j', (given, expected) => {
    expect(splitArguments(given)).toEqual(expected)
  })

  test('go to their places; the highest place takes all that are left', async () => {
    expect(await fill('$1 then $2', 'a b c d')).toBe('a then b c d')
    expect(await fill('$2 before $1', 'a "b c" d')).toBe('b c d before a')
    expect(await fill('$1 and $1', 'a b')).toBe('a b and a b')
  })

  test('that are missing leave their places empty', async () => {
    expect(await fill('[$1] [$2] [$3]', 'a')).toBe('[a] [] []')
  })

  test('$ARGUMENTS stands for them as they were written', async () => {
    expect(await fill('Do: $ARGUMENTS!', 'a "b  c"')).toBe('Do: a "b  c"!')
  })

  test('without a place for them follow after a blank line; none leave no trace', async () => {
    expect(await fill('Review this.', 'only src')).toBe('Review this.\n\nonly src')
    expect(await fill('Review this.', '  ')).toBe('Review this.')
  })

  test('are not taken for places, patterns or commands themselves', async () => {
    expect(await fill('[$1]', '$2 $& $ARGUMENTS')).toBe('[$2 $& $ARGUMENTS]')
    expect(await fill('Say $ARGUMENTS', '!`echo pwned`')).toBe('Say !`echo pwned`')
  })
})

describe('shell inserts', () => {
  test('are replaced by what their commands print, whatever the exit code', async () => {
    expect(await fill('Status: !`printf hi` / !`echo no; exit 3`')).toBe('Status: hi / no\n')
  })

  test('are run side by side', async () => {
    const waiting: (() => void)[] = []
    const together = (command: string) =>
      new Promise<string>((resolve) => {
        waiting.push(() => resolve(command.at(-1) ?? ''))
        if (waiting.length === 2) for (const go of waiting) go()
      })
    expect((await expandCommand({ name: 'x', template: '!`a` !`b`' }, '', together, signal)).text).toBe('a b')
  })

  test('see the arguments as a shell does, which can add no command to theirs', async () => {
    expect(await fill('!`printf "<%s>" "$1" "$2"`', `"it's; echo x" $(id) b`)).toBe("<it's; echo x><$(id) b>")
    expect(await fill('!`printf "<%s>" "$ARGUMENTS"`', '`id`; "x"')).toBe('<`id`; "x">')
  })

  test('a command that can’t be run leaves a note', async () => {
    const broken = () => Promise.reject(new Error('no shell'))
    expect((await expandCommand({ name: 'x', template: 'a !`b` c' }, '', broken, signal)).text).toBe('a (could not be run: no shell) c')
  })
})

const lead = { name: 'build' }
const helper = { name: 'helper', mode: 'subagent' as const, model: { providerID: 'test', modelID: 'helper-model' } }
const planner = { name: 'planner', model: { providerID: 'test', modelID: 'planner-model' } }
const own = { providerID: 'test', modelID: 'own-model' }
const asked = { providerID: 'test', modelID: 'asked-model' }

const withCommands = (list: readonly Command[], options: Setup = {}) =>
  setup(server, { commands: { list, shell } satisfies Commands, agents: [lead, helper, planner], ...options })
/** The user message a command becomes. */
const stored = async (command: Partial<Command>, input: Record<string, unknown> = {}) => {
  const { engine, store } = withCommands([{ name: 'do', template: 'Do it', ...command }])
  await engine.command({ name: 'do', arguments: '', ...input })
  const message = store.messages()[0]
  if (message?.info.role !== 'user') throw new Error('no user message')
  return { ...message, info: message.info }
}

describe('a command', () => {
  test('is expanded and answered like a prompt', async () => {
    const { engine } = withCommands([{ name: 'greet', template: 'Greet $1 at !`echo noon`' }])
    await engine.command({ name: 'greet', arguments: 'Ada' })
    expect(server.requests[0]?.body.messages.at(-1)).toEqual({ role: 'user', content: 'Greet Ada at noon\n' })
  })

  test('nobody knows is an error that lists those there are, also for listeners', async () => {
    const { engine, events, store } = withCommands([
      { name: 'review', template: 'r' },
      { name: 'test', template: 't' },
    ])
    const failure = await engine.command({ name: 'deploy', arguments: '' }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UnknownNameError)
    expect(failure).toMatchObject({ message: expect.stringContaining('"deploy"'), hint: expect.stringContaining('review, test') })
    expect(events).toContainEqual({ type: 'error', error: expect.objectContaining({ message: expect.stringContaining('deploy') }) })
    expect(store.messages()).toEqual([])
  })

  test('is answered by its own agent, else by the caller’s, else by the one that leads', async () => {
    expect((await stored({ agent: 'planner' }, { agent: 'build' })).info.agent).toBe('planner')
    expect((await stored({}, { agent: 'planner' })).info.agent).toBe('planner')
    expect((await stored({})).info.agent).toBe('build')
  })

  test('is answered by its own model, else its agent’s, else the caller’s, else the session’s', async () => {
    expect((await stored({ model: own, agent: 'planner' }, { model: asked })).info.model).toEqual(own)
    expect((await stored({ agent: 'planner' }, { model: asked })).info.model).toEqual(planner.model)
    expect((await stored({}, { model: asked })).info.model).toEqual(asked)
    expect((await stored({})).info.model).toEqual({ providerID: 'test', modelID: 'test-model' })
  })

  test('reads files its template or arguments refer to, but not those a command printed', async () => {
    const look = (path: string) => (path.endsWith('.ts') ? { kind: 'file' as const, path: `/repo/${path}` } : undefined)
    const { engine, store } = withCommands([{ name: 'do', template: 'Check @a.ts, $1, !`echo @c.ts`' }], { look })
    await engine.command({ name: 'do', arguments: '@b.ts' })
    const files = store.messages()[0]?.parts.filter(({ type }) => type === 'file')
    expect(files).toMatchObject([{ filename: 'a.ts' }, { filename: 'b.ts' }])
  })

  test('becomes a subtask where its agent is a subagent or it says so, and no subtask where it says otherwise', async () => {
    const partOf = async (command: Partial<Command>) => (await stored(command)).parts[0]?.type
    expect(await partOf({ agent: 'helper' })).toBe('subtask')
    expect(await partOf({ agent: 'helper', subtask: false })).toBe('text')
    expect(await partOf({ subtask: true })).toBe('subtask')
    expect(await partOf({ agent: 'planner' })).toBe('text')
  })

  test('as a subtask names agent, model and command in its part; its message is the caller’s', async () => {
    const message = await stored({ agent: 'helper', description: 'help out', template: 'Help with $1' }, { arguments: 'tests' })
    expect(message.info).toMatchObject({ agent: 'build', model: { modelID: 'test-model' } })
    expect(message.parts).toMatchObject([
      { type: 'subtask', agent: 'helper', description: 'help out', prompt: 'Help with tests', command: 'do', model: helper.model },
    ])
  })

  test('may be changed by a plugin before it is sent', async () => {
    const hooks: typeof noHooks = {
      async trigger(name, input, output) {
        if (name === 'command.execute.before' && 'parts' in output && 'command' in input) {
          output.parts.splice(0, 1)
          Object.assign(output, { parts: [{ type: 'text', text: `instead of ${input.command} ${input.arguments}` }] })
        }
        return output
      },
    }
    const { engine } = withCommands([{ name: 'do', template: 'Do it' }], { hooks })
    await engine.command({ name: 'do', arguments: 'now' })
    expect(server.requests[0]?.body.messages.at(-1)?.content).toBe('instead of do now')
  })

  test('is sent as it was when a plugin makes nonsense of it, and listeners are told', async () => {
    const hooks: typeof noHooks = {
      async trigger(name, _input, output) {
        if (name === 'command.execute.before') Object.assign(output, { parts: [{ type: 'spell' }] })
        return output
      },
    }
    const { engine, events } = withCommands([{ name: 'do', template: 'Do it' }], { hooks })
    await engine.command({ name: 'do', arguments: '' })
    expect(server.requests[0]?.body.messages.at(-1)?.content).toBe('Do it')
    expect(events).toContainEqual({ type: 'error', error: expect.objectContaining({ message: expect.stringContaining('/do') }) })
  })
})
