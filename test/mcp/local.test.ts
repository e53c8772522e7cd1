import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gone, never, tempFolder } from '../support/closing.ts'
import { everything, filesystem, open } from './kit.ts'

const stdio = { type: 'local' as const, command: [...everything, 'stdio'] }

test('the tools of a server have its name in front and keep description and schema', async () => {
  const { room } = await open({ 'my server!': stdio })
  expect(room.servers).toEqual([{ name: 'my server!', status: 'connected' }])
  expect(room.tools.find(({ id }) => id === 'my_server__get-sum')).toMatchObject({
    description: 'Returns the sum of two numbers',
    schema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  })
})

test('servers whose tools would have the same names get different ones', async () => {
  const { room, call } = await open({ 'a b': stdio, 'a.b': stdio })
  const ids = room.tools.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(await call('a_b_echo_2', { message: 'second' })).toMatchObject({ output: 'Echo: second' })
})

test('a call gives text, images as attachments, and structured data', async () => {
  const { call } = await open({ every: stdio })
  expect(await call('every_get-sum', { a: 2, b: 3 })).toMatchObject({ title: 'Get Sum Tool', output: 'The sum of 2 and 3 is 5.' })
  const image = await call('every_get-tiny-image')
  expect(image.output).toBe("Here's the image you requested:\n\nThe image above is the MCP logo.")
  expect(image.attachments).toEqual([{ type: 'file', mime: 'image/png', url: expect.stringMatching(/^data:image\/png;base64,iVBOR/), filename: 'image' }])
  expect((await call('every_get-structured-content', { location: 'Chicago' })).output).toContain('"temperature":')
})

test('resources in an answer are shown when they are text and named when a model cannot read them', async () => {
  const { call } = await open({ every: stdio })
  expect((await call('every_get-resource-reference', { resourceType: 'Text', resourceId: 1 })).output).toContain('plaintext resource created')
  expect((await call('every_get-resource-reference', { resourceType: 'Blob', resourceId: 1 })).output).toMatch(
    /\[demo:\/\/resource\/dynamic\/blob\/1 .* is left out: it is no image or PDF\]/,
  )
  expect((await call('every_get-resource-links', { count: 1 })).output).toContain('demo://resource/dynamic/')
})

test('what a server calls an error is an error the model can read', async () => {
  const { call } = await open({ every: stdio })
  await expect(call('every_get-sum', { a: 'x' })).rejects.toThrow(/expected number, received string/)
})

test('the work of a server is confined by the server: the filesystem server refuses what is outside', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'note.txt'), 'remember the milk')
  const { call } = await open({ files: { type: 'local', command: [...filesystem, folder] } })
  expect((await call('files_read_text_file', { path: join(folder, 'note.txt') })).output).toBe('remember the milk')
  await expect(call('files_read_text_file', { path: '/etc/hosts' })).rejects.toThrow('Access denied')
})

test('an output that is too long is cut, and the whole of it saved', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'long.txt'), 'a line\n'.repeat(5_000))
  const { call } = await open({ files: { type: 'local', command: [...filesystem, folder] } })
  const { output, metadata } = await call('files_read_text_file', { path: join(folder, 'long.txt') })
  expect(output.split('\n').length).toBeLessThan(2_010)
  expect(readFileSync(String(metadata.outputPath), 'utf8')).toBe('a line\n'.repeat(5_000))
})

test('C140: a server sees the allow-listed environment and its own variables, and no key of the job', async () => {
  const { call } = await open(
    { every: { ...stdio, environment: { SERVICE_TOKEN: 'for this server' } } },
    { env: { ...process.env, GITHUB_TOKEN: 'ghs_secret', OPENAI_API_KEY: 'sk-secret', ACTIONS_RUNTIME_TOKEN: 'rt-secret', LANG: 'C.UTF-8' } },
  )
  const { output } = await call('every_get-env')
  expect(JSON.parse(output)).toMatchObject({ SERVICE_TOKEN: 'for this server', LANG: 'C.UTF-8', PATH: process.env.PATH })
  expect(output).not.toContain('secret')
})

test('a server works in the workspace, or in the folder of it that its configuration names', async () => {
  const command = ['bash', '-c', 'pwd > "$NOTE"; exit 1']
  const folder = tempFolder()
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  mkdirSync(join(folder, 'sub'))
  await open(
    { a: { type: 'local', command, environment: { NOTE: first } }, b: { type: 'local', command, cwd: 'sub', environment: { NOTE: second } } },
    { cwd: folder },
  )
  expect([readFileSync(first, 'utf8').trim(), readFileSync(second, 'utf8').trim()]).toEqual([folder, join(folder, 'sub')])
})

test('a server that is missing, ends, or talks nonsense is failed with a note, and the others work', async () => {
  const { room, warnings, call } = await open({
    every: stdio,
    missing: { type: 'local', command: ['no-such-server'] },
    ends: { type: 'local', command: ['bash', '-c', 'echo "no licence" >&2; exit 3'] },
    babbles: { type: 'local', command: ['bash', '-c', 'read -r line; echo "{}"; echo hello; read -r line'], timeout: 400 },
  })
  expect(room.servers.map(({ name, status }) => `${name} ${status}`)).toEqual(['babbles failed', 'ends failed', 'every connected', 'missing failed'])
  expect(room.servers.flatMap(({ note = [] }) => note).toSorted()).toEqual(warnings.toSorted())
  expect(warnings.join('\n')).toMatch(/missing is not available.*"no-such-server" cannot be started/)
  expect(warnings.join('\n')).toMatch(/ends is not available.*ended with code 3 and said: no licence/)
  expect(await call('every_echo', { message: 'hi' })).toMatchObject({ output: 'Echo: hi' })
})

test('C70: a server that hangs is given up after its time, and ended with what it started', async () => {
  const note = join(tempFolder(), 'pid')
  const { room } = await open({ hangs: { type: 'local', command: ['bash', '-c', `sleep 1000 & echo $! > ${note}; wait`], timeout: 1_000 } })
  expect(room.servers).toEqual([{ name: 'hangs', status: 'failed', note: expect.stringContaining('did not answer within 1000 ms') }])
  await gone(Number(readFileSync(note, 'utf8')))
})

test('C70: closing ends a server with what it started, even one that does not want to end', async () => {
  const note = join(tempFolder(), 'pid')
  const script = `trap '' TERM; sleep 1000 & echo $! > ${note}; exec ${everything.map((word) => `'${word}'`).join(' ')} stdio`
  const { room, call } = await open({ every: { type: 'local', command: ['bash', '-c', script] } }, { grace: 100 })
  expect(await call('every_echo', { message: 'hi' })).toMatchObject({ output: 'Echo: hi' })
  await room.close()
  await gone(Number(readFileSync(note, 'utf8')))
  await expect(call('every_echo', { message: 'hi' })).rejects.toThrow()
})

test('a run that is stopped does not wait for servers or calls', async () => {
  const stop = new AbortController()
  const { call } = await open({ every: stdio })
  const waiting = call('every_trigger-long-running-operation', { duration: 1000, steps: 2 }, stop.signal)
  stop.abort()
  await expect(waiting).rejects.toThrow('aborted')
  const { room } = await open({ every: stdio }, { signal: AbortSignal.abort() })
  expect(room.servers[0]).toMatchObject({ status: 'failed', note: expect.stringContaining('stopped') })
})

test('a server that is switched off, or only switched, is not started', async () => {
  const note = join(tempFolder(), 'started')
  const command = ['bash', '-c', `touch ${note}`]
  const { room, warnings } = await open({ off: { type: 'local', command, enabled: false }, switched: { enabled: true } })
  expect(room.servers).toEqual([
    { name: 'off', status: 'disabled' },
    { name: 'switched', status: 'disabled' },
  ])
  expect([room.tools, room.commands, warnings, existsSync(note)]).toEqual([[], [], [], false])
})

test('resources are listed and read by tools that need the permission to read them', async () => {
  const { room, call } = await open({ every: stdio })
  expect((await call('list_mcp_resources')).output).toMatch(
    /^Server every:\n- demo:\/\/resource\/static\/document\/architecture\.md \(architecture\.md, text\/markdown\)/,
  )
  expect((await call('list_mcp_resource_templates', { server: 'every' })).output).toContain('demo://resource/dynamic/text/{resourceId}')
  expect((await call('read_mcp_resource', { server: 'every', uri: 'demo://resource/dynamic/text/1' })).output).toContain('plaintext resource created')
  await expect(call('read_mcp_resource', { server: 'nobody', uri: 'x:y' })).rejects.toThrow(/no MCP server named "nobody".*every/)
  const needs = (id: string, input: unknown) => room.tools.find((tool) => tool.id === id)?.permission?.(input, [])
  expect(needs('read_mcp_resource', { server: 'every', uri: 'demo://a' })).toEqual([{ permission: 'read', patterns: ['mcp:every:demo://a'] }])
  expect(needs('list_mcp_resources', {})).toEqual([{ permission: 'read', patterns: ['mcp:every:*'] }])
})

test('a reference of a message is read by server and address', async () => {
  const { room } = await open({ every: stdio })
  expect(await room.readResource('every', 'demo://resource/dynamic/text/7', never)).toEqual([
    { uri: 'demo://resource/dynamic/text/7', mimeType: 'text/plain', text: expect.stringContaining('Resource 7') },
  ])
  await expect(room.readResource('nobody', 'x:y', never)).rejects.toThrow('nobody')
})

test('servers without resources add no tools for them', async () => {
  const { room } = await open({ files: { type: 'local', command: [...filesystem, tempFolder()] } })
  expect(room.tools.filter(({ id }) => id.includes('resource'))).toEqual([])
})

test('the prompts of a server are commands with places for their arguments', async () => {
  const { room } = await open({ every: stdio })
  const command = room.commands.find(({ name }) => name === 'every:args-prompt')
  expect(command?.description).toBe('A prompt with two arguments, one required and one optional')
  expect(await command?.template(never)).toBe("What's weather in $1, $2?")
})

test('5.8: instructions stand in their block, and are left out when every tool of the server is denied', async () => {
  const { room } = await open({ every: stdio, files: { type: 'local', command: [...filesystem, tempFolder()] } })
  const text = room.instructions([])
  expect(text).toMatch(/^<mcp_instructions>\n<server name="every">\n# Everything Server[\s\S]*<\/server>\n<\/mcp_instructions>$/)
  expect(text).not.toContain('name="files"')
  expect(room.instructions([{ permission: 'every_*', pattern: '*', action: 'deny' }])).toBe('')
  const butOne = [
    { permission: 'every_*', pattern: '*', action: 'deny' as const },
    { permission: 'every_echo', pattern: '*', action: 'allow' as const },
  ]
  expect(room.instructions(butOne)).toBe(text)
})
