import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script } from '../../src/local/model.ts'
import { comments } from '../support/world.ts'
import { opencodeRepository, resultOf, told } from './opencode-repository.ts'
import { comment, expectExit, files, fixDate, says, within, writes } from './support.ts'

/** Runs one command after the other, then answers. */
const runs =
  (...commands: readonly string[]): Script =>
  ({ result, mayCall }) => {
    const calls = commands.map((command, index) => ({ id: `bash_${index}`, name: 'bash', arguments: { command } }))
    const next = mayCall ? calls.find(({ id }) => result(id) === undefined) : undefined
    return next ? { calls: [next] } : { text: 'Done.' }
  }

const config = (value: unknown) => ({ inputs: { config: JSON.stringify(value) } })

test('an unknown command is answered in the thread with the commands there are', () =>
  within({ seed: { files: opencodeRepository() }, script: says('never asked') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/oc /mycomand a')
    expectExit(done, 1)
    const reply = comments(world, number).at(-1)?.body ?? ''
    expect(reply).toContain('mycomand')
    for (const name of ['init', 'review', 'mycommand']) expect(reply).toMatch(new RegExp(`\\b${name}\\b`))
    expect(world.model?.requests()).toEqual([])
  }))

test.each([
  ['a key of the wrong kind', '{\n  // ours\n  "instructions": "docs/style.md"\n}\n', 'opencode.jsonc:3:3'],
  ['a slip of the pen', '{\n  "agent": {\n    "a": { "mode": "all" },,\n  }\n}\n', 'opencode.jsonc:3:28'],
])('C169 a fault of the configuration, %s, is answered in the thread with file, line and column', (_, text, place) =>
  within({ seed: { files: { ...files, 'opencode.jsonc': text } }, script: says('never asked') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/oc fix it')
    expectExit(done, 1)
    expect(comments(world, number).at(-1)?.body).toContain(place)
    expect(done.outputs.reason).toContain(place)
    expect(world.model?.requests()).toEqual([])
  }),
)

test('C169 a fault of the input `config` is found before anything is written', () =>
  within({ script: says('never asked') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/oc fix it', { inputs: { config: '{ "permission": { "bash": "no" } }' } })
    expectExit(done, 1)
    expect(done.outputs.reason).toContain('the input config:1:19: permission.bash')
    expect(writes(world)).toEqual([])
  }))

test('C169 an unknown key is named with the one that was meant, and the run goes on', () =>
  within({ seed: { files: { ...files, 'opencode.json': '{\n  "instuctions": ["a.md"]\n}\n' } }, script: says('Done.') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/oc fix it')
    expectExit(done, 0)
    const note = 'opencode.json:2:3: the key "instuctions" is unknown and was ignored. Did you mean "instructions"?'
    expect(done.stdout).toContain(note)
    expect(done.summary).toContain(note)
  }))

const generous = {
  ...files,
  'opencode.json': '{ "permission": "allow", "agent": { "build": { "permission": { "bash": "allow" } } } }\n',
}

test('the input `config` takes a tool away, and no file of the repository gives it back', () =>
  within({ seed: { files: generous }, script: runs('touch forbidden') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/oc fix it', config({ permission: { bash: 'deny' } }))
    expectExit(done, 0)
    expect(told(world).tools).not.toContain('bash')
    expect(told(world).tools).toContain('edit')
    expect(resultOf(world, 'bash_0')).toContain('bash')
    expect(done.outputs['changed-files']).toBeUndefined()
  }))

test('C147 the input `config` forbids some commands, however they are wrapped, and no file of the repository allows them', () =>
  within(
    { seed: { files: generous }, script: runs('true && touch one', 'bash -c "touch two"', "echo $(t''ouch three)", 'echo fine > allowed') },
    async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const done = await comment(world, number, 'alice', '/oc fix it', config({ permission: { bash: { '*': 'allow', 'touch *': 'deny' } } }))
      expectExit(done, 0)
      expect(told(world).tools).toContain('bash')
      for (const id of ['bash_0', 'bash_1', 'bash_2']) expect(resultOf(world, id)).toContain("the rule `bash: touch *` of this run's permissions forbids")
      expect(done.outputs['changed-files']).toBe('allowed')
    },
  ))

test('the agent `plan` makes a plan and changes nothing', () =>
  within({ script: fixDate }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/oc fix it', { inputs: { agent: 'plan' } })
    expectExit(done, 0)
    expect(told(world).user.at(-1)).toContain('You are in plan mode')
    expect(resultOf(world, 'edit_1')).toContain("the rule `edit: *` of this run's permissions forbids `edit` of `src/date.js`")
    expect(done.outputs).toMatchObject({ conclusion: 'success', response: 'Dates are parsed in UTC now.' })
    expect(done.outputs.branch).toBeUndefined()
    expect(done.outputs['changed-files']).toBeUndefined()
  }))

test('an agent nobody knows is answered in the thread with those there are', () =>
  within({ seed: { files: opencodeRepository() }, script: says('never asked') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/oc fix it', { inputs: { agent: 'maintaner' } })
    expectExit(done, 1)
    const reply = comments(world, number).at(-1)?.body ?? ''
    for (const name of ['maintaner', 'build', 'plan', 'maintainer']) expect(reply).toContain(name)
  }))

test('`debug-prompt` leaves the newest request in a file of the runner, without secrets', () =>
  within({ seed: { files: opencodeRepository() }, script: runs('echo k=sk-thisIsTheKeyOfTheOwner') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', body: 'My key is sk-thisIsTheKeyOfTheOwner.', author: 'rita' })
    const inputs = { 'debug-prompt': 'true', 'api-key': 'sk-thisIsTheKeyOfTheOwner' }
    const done = await comment(world, number, 'alice', '/oc fix it', { inputs })
    expectExit(done, 0)
    const session = done.outputs['session-id']
    expect((await readdir(world.temp)).filter((name) => name.startsWith('opencode-prompt-'))).toEqual([`opencode-prompt-${session}.json`])
    const text = await readFile(join(world.temp, `opencode-prompt-${session}.json`), 'utf8')
    expect(text).not.toContain('sk-thisIsTheKeyOfTheOwner')
    const written: unknown = JSON.parse(text)
    expect(written).toMatchObject({ sessionID: session, agent: 'build', model: { providerID: 'scripted', modelID: 'model' } })
    for (const part of ['You are opencode', 'Instructions from: AGENTS.md', 'fix it', 'Looks up a ticket of the team', 'bash_0']) expect(text).toContain(part)
  }))

test('OPENCODE_CONFIG_CONTENT is laid over the files of the repository, and the input `config` over that', () =>
  within(
    { seed: { files: { ...files, 'opencode.json': '{ "default_agent": "build", "instructions": ["src/date.js"] }' } }, script: says('Done.') },
    async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const content = { default_agent: 'writer', instructions: ['README.md'], agent: { writer: { prompt: 'You write.' }, poet: { prompt: 'You rhyme.' } } }
      const done = await comment(world, number, 'alice', '/oc fix it', { env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(content) } })
      expectExit(done, 0)
      expect(told(world).system).toMatch(/^You write\./)
      expect(told(world).system).toContain('Instructions from: src/date.js')
      expect(told(world).system).toContain('Instructions from: README.md\n# Demo')

      await world.checkout()
      const second = world.github.openIssue({ title: 'Dates again', author: 'rita' })
      const again = await comment(world, second.number, 'alice', '/oc fix it', {
        ...config({ default_agent: 'poet' }),
        env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(content) },
      })
      expectExit(again, 0)
      expect(told(world, 1).system).toMatch(/^You rhyme\./)
    },
  ))

test('instructions may lie behind an address; one that does not answer is named and left out', async () => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/rules.md' ? 200 : 404).end('Rhyme in every comment.')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const named = { 'opencode.json': JSON.stringify({ instructions: [`${base}/rules.md`, `${base}/gone.md`] }) }
  try {
    await within({ seed: { files: { ...files, ...named } }, script: says('Done.') }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const done = await comment(world, number, 'alice', '/oc fix it')
      expectExit(done, 0)
      expect(told(world).system).toContain(`Instructions from: ${base}/rules.md\nRhyme in every comment.`)
      expect(told(world).system).not.toContain('gone.md')
      expect(done.summary).toContain(`${base}/gone.md were left out: the server answered 404.`)
    })
  } finally {
    server.close()
  }
})

test('servers, plugins and tools that can’t be had are named in log, summary and reply, and the run goes on without them', () => {
  const broken = {
    'opencode.json': JSON.stringify({ mcp: { gone: { type: 'local', command: ['no-such-program'] } }, plugin: ['a-package@1.0.0'] }),
    '.opencode/tool/needy.ts': 'import x from "not-there"\nexport default { description: "", args: {}, execute: async () => x }\n',
    '.opencode/plugin/broken.ts': 'export const Broken = async () => { throw new Error("no licence") }\n',
  }
  return within({ seed: { files: { ...files, ...broken } }, script: fixDate }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/oc fix it')
    expectExit(done, 0)
    expect(done.outputs['changed-files']).toBe('src/date.js')
    const reply = comments(world, number).at(-1)?.body ?? ''
    for (const text of [done.stdout, done.summary, reply]) {
      expect(text).toContain('The MCP server gone is not available in this run.')
      expect(text).toContain('The plugin package a-package@1.0.0 is left out')
      expect(text).toContain('.opencode/tool/needy.ts could not be loaded')
      expect(text).toContain('The plugin .opencode/plugin/broken.ts failed to start: no licence')
    }
  })
})

test('the repository names model and provider where the job names none, and their key reaches nobody', () => {
  const lab = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: '{env:LAB_URL}', apiKey: '{env:LAB_KEY}' },
    models: { big: { limit: { context: 50_000 } } },
  }
  const repository = { ...files, 'opencode.json': JSON.stringify({ model: 'lab/big', provider: { lab } }) }
  return within({ seed: { files: repository }, script: says('The key is lab-key-of-the-job.') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const env = { LAB_URL: world.model?.baseUrl ?? '', LAB_KEY: 'lab-key-of-the-job' }
    const done = await comment(world, number, 'alice', '/oc hello', { inputs: { model: '', 'base-url': '' }, env })
    expectExit(done, 0)
    expect(done.outputs.model).toBe('lab/big')
    expect(comments(world, number).at(-1)?.body).toContain('The key is [redacted].')
  })
})

test('`tool_output` says how much of an output the model reads; the rest is in a file that it can read', () =>
  within({ seed: { files: { ...files, 'opencode.json': '{ "tool_output": { "max_lines": 6 } }' } }, script: runs('seq 1 500') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    expectExit(await comment(world, number, 'alice', '/oc count'), 0)
    const output = resultOf(world, 'bash_0')
    expect(output.split('\n').filter((line) => /^\d+$/.test(line)).length).toBeLessThanOrEqual(6)
    expect(output).toContain('Full output: ')
  }))
