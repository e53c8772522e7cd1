import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { PermissionDenied } from '../../src/tool/permission.ts'
import { gone } from '../support/closing.ts'
import { open, repository } from './kit.ts'

test('5.13: a custom tool written for OpenCode works unchanged: TypeScript, its schema, relative imports and data', async () => {
  const { room, call, warnings } = await open(repository('tool/greet.ts'))
  expect(room.tools.map(({ id, description, schema }) => ({ id, description, schema }))).toEqual([
    {
      id: 'greet',
      description: 'Greets somebody',
      schema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Who is greeted' },
          times: { type: 'integer', description: 'How often', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
          mood: { default: 'plain', type: 'string', enum: ['plain', 'polite'] },
        },
        required: ['name'],
      },
    },
  ])
  const shown: unknown[] = []
  expect(await call('greet', { name: 'Ann', times: 2, mood: 'polite' }, { metadata: (update) => void shown.push(update) })).toMatchObject({
    title: 'greet',
    output: 'Good day, dear Ann\nGood day, dear Ann',
  })
  expect(shown).toEqual([{ title: 'Greeting Ann' }])
  expect(warnings).toEqual([])
})

test('arguments that do not fit are an error that says where; null stands for an argument left out', async () => {
  const { call } = await open(repository('tool/greet.ts'))
  await expect(call('greet', { times: 1 })).rejects.toThrow(/The greet tool was called with arguments that do not fit[\s\S]*at name/)
  expect((await call('greet', { name: 'Bo', times: null })).output).toBe('Hello Bo')
})

test('5.13: tools come from tool/ and tools/, by file and export; what is no tool is ignored, missing arguments are tolerated', async () => {
  const { room, call, warnings } = await open(repository('tool/greet.ts', 'tools/math.ts', 'tools/bare.js'))
  expect(room.tools.map(({ id }) => id)).toEqual(['greet', 'bare', 'math_add', 'math_fail'])
  expect((await call('math_add', { a: 2, b: 3 })).output).toBe('5')
  expect((await call('bare', {})).output).toBe('nothing taken: {}')
  expect(warnings).toEqual([])
})

test('a tool may be a plain object with the zod of the repository or ours, and gets to know its call', async () => {
  const { call, worktree } = await open(repository('tools/report.js'), { directory: 'sub' })
  const { title, output, metadata } = await call('report', { what: 'context' }, { sessionID: 'ses_9', agent: 'plan' })
  expect({ title, metadata }).toEqual({ title: 'About', metadata: { kept: true, truncated: false } })
  expect(JSON.parse(output)).toMatchObject({
    sessionID: 'ses_9',
    messageID: 'msg_1',
    callID: 'call_1',
    agent: 'plan',
    worktree,
    directory: join(worktree, 'sub'),
    aborted: false,
    here: expect.stringMatching(/\.opencode\/tools$/),
  })
})

test('5.13: attachments are kept when they carry their data', async () => {
  const { call } = await open(repository('tools/report.js'))
  const { output, attachments } = await call('report', { what: 'image' })
  expect(attachments).toEqual([{ type: 'file', mime: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' }])
  expect(output).toBe('A picture\n\n[1 attachment is left out: they must have a mime type and a data: URL]')
})

test('5.13: an output that is too long is cut, and the whole of it saved', async () => {
  const { call } = await open(repository('tools/report.js'))
  const { output, metadata } = await call('report', { what: 'long' })
  expect(output.split('\n').length).toBeLessThan(2_010)
  expect(readFileSync(String(metadata.outputPath), 'utf8')).toBe('line\n'.repeat(5_000))
})

test('what a tool throws reaches the model', async () => {
  const { call } = await open(repository('tools/math.ts'))
  await expect(call('math_fail')).rejects.toThrow('the disk is full')
})

test('C140: the process of custom tools has no key in its environment', async () => {
  const { call } = await open(repository('tools/report.js'), {
    env: { ...process.env, GITHUB_TOKEN: 'ghs_secret', OPENAI_API_KEY: 'sk-secret', NODE_OPTIONS: '--secret', LANG: 'C.UTF-8' },
  })
  const { output } = await call('report', { what: 'env' })
  expect(JSON.parse(output)).toMatchObject({ PATH: process.env.PATH, LANG: 'C.UTF-8' })
  expect(output).not.toContain('secret')
})

test('a tool that asks for a permission is bound by the rules of the run', async () => {
  const { call } = await open(repository('tools/report.js'))
  const needs: unknown[] = []
  expect((await call('report', { what: 'ask' }, { ask: (need) => void needs.push(need) })).output).toBe('allowed')
  expect(needs).toEqual([expect.objectContaining({ permission: 'deploy', patterns: ['production'] })])
  const deny = () => {
    throw new PermissionDenied({ permission: 'deploy', pattern: 'production' }, { permission: 'deploy', pattern: '*', action: 'deny' })
  }
  await expect(call('report', { what: 'ask' }, { ask: deny })).rejects.toThrow('forbids `deploy`')
  await expect(call('report', { what: 'ask' })).rejects.toThrow('Nobody can be asked')
})

test('a tool that ends its process is an error and a warning; the next call finds a new process', async () => {
  const { call, warnings } = await open(repository('tools/report.js'))
  await expect(call('report', { what: 'crash' })).rejects.toThrow('exit code 7')
  expect((await call('report', { what: 'back' })).output).toBe('back')
  expect(warnings).toEqual([expect.stringContaining('ended (exit code 7)')])
})

test('a process that ends again and again is not started for ever', async () => {
  const { call } = await open(repository('tools/report.js'))
  for (let round = 0; round < 4; round++) await expect(call('report', { what: 'crash' })).rejects.toThrow('exit code 7')
  await expect(call('report', { what: 'back' })).rejects.toThrow('ended 4 times and is not started again')
})

test('a tool that waits for ever is asked to stop, and its process lives on', async () => {
  const { call, warnings } = await open(repository('tools/report.js'), { times: { call: 600, grace: 5_000 } })
  await expect(call('report', { what: 'wait' })).rejects.toThrow('did not end within 600 ms')
  expect((await call('report', { what: 'next' })).output).toBe('next')
  expect(warnings).toEqual([])
})

test('a tool that is busy for ever is ended with its process, before anybody calls again', async () => {
  const { call, warnings } = await open(repository('tools/report.js'), { times: { call: 800 } })
  await expect(call('report', { what: 'spin' })).rejects.toThrow('did not end within 800 ms')
  expect((await call('report', { what: 'next' })).output).toBe('next')
  expect(warnings).toEqual([expect.stringContaining('ended by SIGKILL')])
})

test('a run that is stopped stops its tools', async () => {
  const stop = new AbortController()
  const { call } = await open(repository('tools/report.js'))
  const waiting = call('report', { what: 'wait' }, { signal: stop.signal })
  stop.abort()
  await expect(waiting).rejects.toThrow('was stopped with the run')
})

test('C70: closing ends what tools started, and removes the modules', async () => {
  const { room, call, temp } = await open(repository('tools/report.js'))
  const pid = Number((await call('report', { what: 'orphan' })).output)
  expect(readdirSync(temp)).toHaveLength(1)
  await room.close()
  await gone(pid)
  expect(readdirSync(temp)).toEqual([])
})

test('what a tool prints goes to the log; what it sends as if it were the harness means nothing', async () => {
  const { call, said } = await open(repository('tools/report.js'))
  expect((await call('report', { what: 'forge' })).output).toBe('still here')
  expect((await call('report', { what: 'print' })).output).toBe('printed')
  while (said.length === 0) await delay(5)
  expect(said).toEqual(['::error::from a tool'])
})

test('a module that needs a package which is not installed is left out with a note; with the package it works', async () => {
  const first = await open(repository('tools/needs.ts', 'tools/bare.js'))
  expect(first.room.tools.map(({ id }) => id)).toEqual(['bare'])
  expect(first.warnings).toEqual([expect.stringMatching(/needs\.ts could not be loaded: it imports "left-pad-not-installed", which is not installed/)])

  const second = await open({ '.opencode/tool/pad.js': pad })
  expect(second.room.tools).toEqual([])
  const root = second.worktree
  mkdirSync(join(root, 'node_modules/padder'), { recursive: true })
  writeFileSync(join(root, 'node_modules/padder/package.json'), '{"name":"padder","type":"module","exports":"./index.js"}')
  writeFileSync(join(root, 'node_modules/padder/index.js'), 'export default (text) => text.padStart(3)')
  const third = await open({ '.opencode/tool/pad.js': pad }, { worktree: root })
  expect((await third.call('pad')).output).toBe('  x')
})

const pad = 'import padder from "padder"\nexport default { description: "Pads", execute: async () => padder("x") }'

test('modules see no file but those of the configuration folders, whatever the checkout holds', async () => {
  const files = { '.opencode/tool/out.js': 'import "../../src/secret.js"\nexport default { description: "x", execute: async () => "" }' }
  const { warnings } = await open({ ...files, 'src/secret.js': '' })
  expect(warnings).toEqual([expect.stringContaining('it imports "../../src/secret.js", and there is no such file in the folders')])
})

test('the nearest configuration folder goes first, and a second tool of a name is left out with a note', async () => {
  const tool = (text: string) => `export default { description: "d", execute: async () => "${text}" }`
  const { call, warnings } = await open({ '.opencode/tool/same.js': tool('outer'), 'app/.opencode/tool/same.js': tool('inner') }, { directory: 'app' })
  expect((await call('same')).output).toBe('inner')
  expect(warnings).toEqual(['The tool same of .opencode/tool/same.js is left out: app/.opencode/tool/same.js has one of that name.'])
})

test('a module that hangs while it is loaded costs its tools, not the run', async () => {
  const { room, warnings, temp } = await open({ '.opencode/tool/hang.js': 'for (;;);' }, { times: { load: 500 } })
  expect(room.tools).toEqual([])
  expect(warnings).toEqual([expect.stringContaining('did not load within 500 ms')])
  expect(readdirSync(temp)).toEqual([])
})

test('a repository without tools and plugins starts no process', async () => {
  const { room, warnings } = await open({ '.opencode/agent/a.md': 'x', '.opencode/tool/types.d.ts': '' }, { host: () => '/no/such/script' })
  expect([room.tools, warnings]).toEqual([[], []])
})
