import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { noHooks } from '../../src/session/hooks.ts'
import { open, repository } from './kit.ts'

const call = { sessionID: 'ses_1', callID: 'call_1' }
const model = { providerID: 'p', modelID: 'm' }

test('a plugin changes the arguments of a tool, and refuses a call by throwing', async () => {
  const { hook, warnings } = await open(repository('plugin/guard.ts'))
  expect(await hook('tool.execute.before', { tool: 'bash', ...call }, { args: { command: 'ls' } })).toEqual({ args: { command: 'set -e; ls' } })
  await expect(hook('tool.execute.before', { tool: 'read', ...call }, { args: { filePath: '.env' } })).rejects.toThrow('Do not read .env files')
  expect(warnings).toEqual([])
})

test('the hooks of several plugins run in order on the same output', async () => {
  const { hook } = await open(repository('plugin/guard.ts', 'plugins/second.ts'))
  const output = { title: 't', output: 'done', metadata: {} }
  expect(await hook('tool.execute.after', { tool: 'bash', ...call, args: {} }, output)).toEqual({
    title: 't',
    output: 'done [seen by guard after bash] [second]',
    metadata: { guarded: true },
  })
})

test('plugins add to the system text and to the environment of commands', async () => {
  const { hook, worktree } = await open(repository('plugin/guard.ts', 'plugins/second.ts'))
  expect(await hook('experimental.chat.system.transform', { sessionID: 'ses_1', model }, { system: ['Be brief.'] })).toEqual({
    system: ['Be brief.', 'Speak like a pirate.'],
  })
  expect(await hook('shell.env', { cwd: '/' }, { env: {} })).toEqual({ env: { PROJECT: worktree } })
})

test('a hook that throws, hangs or hands back nonsense costs a warning and changes nothing', async () => {
  const { hook, warnings } = await open(repository('plugins/second.ts'), { times: { hook: 800 } })
  const input = { sessionID: 'ses_1', agent: 'build', model }
  expect(await hook('chat.params', input, { options: { a: 1 } })).toEqual({ options: { a: 1 } })
  expect(await hook('chat.headers', input, { headers: {} })).toEqual({ headers: {} })
  expect(await hook('experimental.text.complete', { sessionID: 's', messageID: 'm', partID: 'p' }, { text: 'whole' })).toEqual({ text: 'whole' })
  await hook('chat.params', input, { options: {} })
  expect(warnings).toEqual([
    'A plugin has the hook config, which does not exist in opencode-action.',
    'The hook chat.params of .opencode/plugins/second.ts failed: no parameters today',
    expect.stringContaining('What plugins made of chat.headers does not fit'),
    'The hook experimental.text.complete did not end within 800 ms.',
  ])
})

test('a guard that hangs lets nothing through', async () => {
  const hangs = 'export const Hangs = async () => ({ "tool.execute.before": () => new Promise(() => {}) })'
  const { hook } = await open({ '.opencode/plugin/hangs.js': hangs }, { times: { hook: 300 } })
  await expect(hook('tool.execute.before', { tool: 'bash', ...call }, { args: {} })).rejects.toThrow('did not end within 300 ms')
})

test('plugins bring tools, run commands with $ whatever the values hold, and write to the log', async () => {
  const { call, said } = await open(repository('plugins/second.ts'))
  const nasty = 'a "b" $HOME `id` \'c\' \\'
  expect((await call('branch', { quoted: nasty })).output).toBe(`got ${nasty} 3`)
  expect(said).toEqual(['second: info: asked for the branch'])
})

test('calls of the OpenCode server say that there is none', async () => {
  const { call } = await open(repository('plugins/second.ts'))
  await expect(call('ask_server')).rejects.toThrow('client.session.prompt() does not exist in opencode-action')
})

test('a plugin that fails to start is left out with a warning, and the others work', async () => {
  const { hook, warnings } = await open(repository('plugin/guard.ts', 'plugins/broken.ts'))
  expect(await hook('tool.execute.before', { tool: 'bash', ...call }, { args: { command: 'ls' } })).toEqual({ args: { command: 'set -e; ls' } })
  expect(warnings).toEqual(['The plugin .opencode/plugins/broken.ts failed to start: no licence'])
})

test('plugins hear what happens in the session, and have ended their work when the room is closed', async () => {
  const { room, worktree } = await open(repository('plugins/second.ts'))
  const sink = room.listen('ses_1')
  sink({ type: 'status', status: { type: 'busy' } })
  sink({ type: 'status', status: { type: 'idle' } })
  await room.close()
  expect(readFileSync(join(worktree, 'events.txt'), 'utf8')).toBe('session.status\nsession.status\nsession.idle')
})

test('packages of the configuration are not installed, and paths are taken from the trusted commit', async () => {
  const files = {
    'tools/mine.ts':
      'import { name } from "./name"\nexport default { server: async (input, options) => ({ tool: { [name]: { description: options.text, execute: async () => "x" } } }) }',
    'tools/name.ts': 'export const name: string = "configured"',
  }
  const { room, warnings } = await open(files, { configured: ['opencode-wakatime@1.0', ['./tools/mine.ts', { text: 'From options' }], './gone.ts'] })
  expect(room.tools.map(({ id, description }) => [id, description])).toEqual([['configured', 'From options']])
  expect(warnings).toEqual([
    expect.stringMatching(/^The plugin package opencode-wakatime@1\.0 is left out: opencode-action installs nothing/),
    'The plugin ./gone.ts is not in the trusted commit, so it is left out.',
  ])
})

test('without plugins the engine runs without hooks', async () => {
  expect((await open({})).room.hooks).toBe(noHooks)
})

test('a place without a hook costs no question to the process', async () => {
  const { hook, room } = await open(repository('plugin/guard.ts'))
  await room.close()
  const output = { text: 'as it was' }
  expect(await hook('experimental.text.complete', { sessionID: 's', messageID: 'm', partID: 'p' }, output)).toBe(output)
})
