import { describe, expect, test } from 'vitest'
import { checkJobConfig, loadConfig } from '../../src/config/load.ts'
import type { Config } from '../../src/config/types.ts'
import { fakeTree } from '../support/tree.ts'

type Files = Readonly<Record<string, string>>

interface Job {
  readonly directory?: string
  readonly env?: Readonly<Record<string, string>>
  readonly inline?: string
}

const texts = (name: string) => `text of ${name}`

async function load(files: Files, { directory = '', env = {}, inline }: Job = {}): Promise<Config> {
  return loadConfig({ tree: fakeTree(files), directory, env, inline, texts })
}

const json = (value: unknown) => JSON.stringify(value)

describe('where a configuration comes from', () => {
  test('json and jsonc load, with comments and trailing commas', async () => {
    expect((await load({ 'opencode.json': '{"model": "openai/gpt-5"}' })).preferences.model).toBe('openai/gpt-5')
    const written = '// mine\n{\n  /* the best */ "model": "openai/gpt-5", // for now\n  "tool_output": { "max_lines": 10, },\n}\n'
    expect((await load({ 'opencode.jsonc': written })).preferences).toEqual({ model: 'openai/gpt-5', tool_output: { max_lines: 10 } })
  })

  test('what may be done on GitHub is read like everything else: the job has the last word, a wrong key is told', async () => {
    const files = { 'opencode.json': json({ github: { triage: { labels: ['bug'], assign: ['ann'], closes: true } } }) }
    const config = await load(files, { inline: json({ github: { triage: { labels: false } } }) })
    expect(config.preferences.github).toEqual({ triage: { labels: false, assign: ['ann'] } })
    expect(config.notes).toEqual([expect.stringContaining('"closes" is unknown and was ignored. Did you mean "close"?')])
    await expect(load({ 'opencode.json': json({ github: { triage: { labels: 'bug' } } }) })).rejects.toThrow('opencode.json:1:')
  })

  test('a repository without any gives an empty one, with the built-in commands', async () => {
    const config = await load({ 'src/index.ts': 'x' })
    expect(config).toMatchObject({ preferences: {}, agents: {}, skills: [], permission: {}, limits: {}, sources: [], notes: [] })
    expect(config.commands.map(({ name, template }) => [name, template])).toEqual([
      ['init', 'text of commands/init'],
      ['review', 'text of commands/review'],
    ])
  })

  test('later ones win: OPENCODE_CONFIG, root, working directory, .opencode, OPENCODE_CONFIG_CONTENT, the input config', async () => {
    const steps: readonly (readonly [Files, Job])[] = [
      [{ 'ci/opencode.json': json({ model: 'a/custom' }) }, { env: { OPENCODE_CONFIG: 'ci/opencode.json' } }],
      [{ 'opencode.json': json({ model: 'a/root' }) }, {}],
      [{ 'opencode.jsonc': json({ model: 'a/rootc' }) }, {}],
      [{ 'packages/api/opencode.json': json({ model: 'a/nested' }) }, {}],
      [{ 'packages/.opencode/opencode.json': json({ model: 'a/folder' }) }, {}],
      [{ '.opencode/opencode.json': json({ model: 'a/outer' }) }, {}],
      [{ '.opencode/opencode.jsonc': json({ model: 'a/outerc' }) }, {}],
      [{ 'extra/opencode.json': json({ model: 'a/extra' }) }, { env: { OPENCODE_CONFIG_DIR: 'extra' } }],
      [{}, { env: { OPENCODE_CONFIG_CONTENT: json({ model: 'a/content' }) } }],
      [{}, { inline: json({ model: 'a/input' }) }],
    ]
    let files: Files = {}
    let job: Job = {}
    const winners: unknown[] = []
    for (const [more, given] of steps) {
      files = { ...files, ...more }
      job = { ...job, ...given, env: { ...job.env, ...given.env } }
      winners.push((await load(files, { ...job, directory: 'packages/api' })).preferences.model)
    }
    expect(winners).toEqual(['custom', 'root', 'rootc', 'nested', 'folder', 'outer', 'outerc', 'extra', 'content', 'input'].map((name) => `a/${name}`))
  })

  test('configurations beside the working directory are not looked at', async () => {
    const config = await load({ 'packages/web/opencode.json': 'broken', 'packages/api/opencode.json': json({ model: 'a/b' }) }, { directory: 'packages/api' })
    expect(config.sources).toEqual(['packages/api/opencode.json'])
  })

  test('OPENCODE_DISABLE_PROJECT_CONFIG leaves out what the repository says, and nothing else', async () => {
    const files = { 'opencode.json': json({ model: 'a/b' }), '.opencode/agent/x.md': 'X', '.claude/skills/y/SKILL.md': '---\nname: y\n---\n' }
    const config = await load(files, { env: { OPENCODE_DISABLE_PROJECT_CONFIG: 'True' }, inline: json({ small_model: 'c/d' }) })
    expect(config).toMatchObject({ preferences: { small_model: 'c/d' }, agents: {}, skills: [] })
    expect(config.preferences).not.toHaveProperty('model')
  })

  test('C165 empty values of the job are not given', async () => {
    const env = { OPENCODE_CONFIG_CONTENT: ' ', OPENCODE_PERMISSION: '', OPENCODE_CONFIG: '', OPENCODE_CONFIG_DIR: '' }
    expect((await load({ 'opencode.json': json({ model: 'a/b' }) }, { env, inline: '' })).preferences.model).toBe('a/b')
  })

  test('C169 tells which files were read', async () => {
    const files = { 'opencode.json': '{}', '.opencode/agent/x.md': 'X' }
    expect((await load(files, { inline: '{}' })).sources).toEqual(['opencode.json', '.opencode/agent/x.md', 'the input config'])
  })

  test('a file outside the repository is named and not read', async () => {
    const { notes } = await load({}, { env: { OPENCODE_CONFIG: '/etc/opencode.json', GITHUB_WORKSPACE: '/w/repo' } })
    expect(notes).toEqual([expect.stringContaining('OPENCODE_CONFIG is /etc/opencode.json, which is not in the repository')])
    expect((await load({ 'etc/opencode.json': '{}' }, { env: { OPENCODE_CONFIG: '/etc/opencode.json' } })).sources).toEqual([])
    expect((await load({}, { env: { OPENCODE_CONFIG: 'gone.json' } })).notes).toEqual(['OPENCODE_CONFIG names gone.json, which is not in the trusted commit.'])
    const inside = await load({ 'ci/o.json': json({ model: 'a/b' }) }, { env: { OPENCODE_CONFIG: '/w/repo/ci/o.json', GITHUB_WORKSPACE: '/w/repo' } })
    expect(inside.preferences.model).toBe('a/b')
  })

  test('the switches of the environment against compaction are obeyed', async () => {
    const files = { 'opencode.json': json({ compaction: { auto: true, prune: true } }) }
    const env = { OPENCODE_DISABLE_AUTOCOMPACT: '1', OPENCODE_DISABLE_PRUNE: 'true' }
    expect((await load(files, { env })).preferences.compaction).toEqual({ auto: false, prune: false })
    expect((await load({}, { env })).preferences.compaction).toEqual({ auto: false, prune: false })
  })
})

describe('what is merged', () => {
  test('instructions and plugins of all files come together, each once; of two versions of a plugin the later', async () => {
    const config = await load({
      'opencode.json': json({ instructions: ['a.md', 'b.md'], plugin: ['one@1.0.0', './p.ts', '@x/two'] }),
      '.opencode/opencode.json': json({ instructions: ['b.md', 'c.md'], plugin: ['one@2.0.0', ['@x/two@3', { loud: true }], './p.ts'] }),
    })
    expect(config.preferences.instructions).toEqual(['a.md', 'b.md', 'c.md'])
    expect(config.plugins).toEqual(['./p.ts', 'one@2.0.0', ['@x/two@3', { loud: true }], './.opencode/p.ts'])
  })

  test('an MCP server of one file is switched off by another, or gets a header from it', async () => {
    const config = await load({
      'opencode.json': json({
        mcp: { a: { type: 'local', command: ['a', '--x'] }, b: { type: 'remote', url: 'https://b.example', headers: { one: '1' } } },
      }),
      '.opencode/opencode.json': json({
        mcp: { a: { enabled: false }, b: { type: 'remote', url: 'https://b.example', headers: { two: '2' } }, c: { enabled: true } },
      }),
    })
    expect(config.mcp).toEqual({
      a: { type: 'local', command: ['a', '--x'], enabled: false },
      b: { type: 'remote', url: 'https://b.example', headers: { one: '1', two: '2' } },
    })
    expect(config.notes).toEqual([expect.stringContaining('MCP server c is switched on, but nothing describes it')])
  })

  test('modes become agents that lead, and agents keep unknown keys for their provider', async () => {
    const { agents } = await load({ 'opencode.json': json({ mode: { ask: { prompt: 'Only answer.' } }, agent: { build: { reasoningEffort: 'high' } } }) })
    expect(agents).toEqual({ build: { reasoningEffort: 'high' }, ask: { prompt: 'Only answer.', mode: 'primary' } })
  })
})

describe('permissions', () => {
  const keys = (config: Config) => Object.keys(config.permission)

  test('keep the order they are written in', async () => {
    const config = await load({ 'opencode.json': '{"permission": {"webfetch": "deny", "*": "ask", "bash": {"rm *": "deny", "*": "allow", "git *": "ask"}}}' })
    expect(keys(config)).toEqual(['webfetch', '*', 'bash'])
    expect(Object.keys(config.permission.bash ?? {})).toEqual(['rm *', '*', 'git *'])
  })

  test('one word stands for everything', async () => {
    expect((await load({ 'opencode.json': '{"permission": "deny"}' })).permission).toEqual({ '*': 'deny' })
    const config = await load({ 'opencode.json': '{"permission": "allow"}', '.opencode/opencode.json': '{"permission": {"bash": "deny"}}' })
    expect(config.permission).toEqual({ '*': 'allow', bash: 'deny' })
  })

  test('the older tools come in front, those that change files as edit, and never over what is written as a permission', async () => {
    const config = await load({
      'opencode.json': '{"permission": {"webfetch": "ask", "bash": "allow"}, "tools": {"bash": false, "write": false, "patch": false, "x_*": true}}',
    })
    expect(Object.entries(config.permission)).toEqual([
      ['bash', 'allow'],
      ['edit', 'deny'],
      ['x_*', 'allow'],
      ['webfetch', 'ask'],
    ])
  })

  test('OPENCODE_PERMISSION and the input config are merged in, and what they narrow is a limit besides', async () => {
    const files = { 'opencode.json': json({ permission: { '*': 'allow', bash: 'allow' }, agent: { build: { permission: { bash: 'allow' } } } }) }
    const config = await load(files, { env: { OPENCODE_PERMISSION: '{"*": "deny", "read": "allow"}' }, inline: json({ permission: { webfetch: 'allow' } }) })
    expect(config.permission).toEqual({ '*': 'deny', bash: 'allow', webfetch: 'allow', read: 'allow' })
    expect(config.limits).toEqual({ '*': 'deny', read: 'allow' })
  })

  test('what a job merely allows is no limit, so it opens nothing that an agent closed', async () => {
    const config = await load({}, { inline: json({ permission: { '*': 'allow', bash: { '*': 'deny', 'git *': 'allow' } } }) })
    expect(config.limits).toEqual({ bash: { '*': 'deny', 'git *': 'allow' } })
    expect((await load({}, { inline: '{"permission": "allow"}' })).limits).toEqual({})
  })

  test('a job’s older tools map is a limit as well, and its rules for one agent are kept apart from the repository’s', async () => {
    const files = { 'opencode.json': json({ permission: 'allow', agent: { build: { permission: { bash: 'allow', '*': 'allow' } } } }) }
    const inline = json({ tools: { webfetch: false, write: false }, agent: { build: { permission: { bash: 'deny' } } } })
    const config = await load(files, { inline })
    expect(config.limits).toEqual({ webfetch: 'deny', edit: 'deny' })
    expect(config.jobAgents).toEqual({ build: { permission: { bash: 'deny' } } })
  })

  test('a limit that can’t be read stops the run instead of vanishing', async () => {
    await expect(load({}, { env: { OPENCODE_PERMISSION: 'deny' } })).rejects.toThrow(/OPENCODE_PERMISSION:1:.*not valid JSON/)
    await expect(load({}, { env: { OPENCODE_PERMISSION: '{"bash": "never"}' } })).rejects.toThrow(/OPENCODE_PERMISSION.*permission\.bash/)
  })
})

describe('references', () => {
  test('{env:} is filled in for a provider and a server, escaped, and its value is told as a secret', async () => {
    const config = await load(
      {
        'opencode.json':
          '{"provider": {"x": {"options": {"apiKey": "{env:X_KEY}"}}}, "mcp": {"m": {"type": "remote", "url": "https://m.example", "headers": {"a": "Bearer {env:M}"}}}}',
      },
      { env: { X_KEY: 'quo"te\\, "evil": 1', M: 'mm-secret' } },
    )
    expect(config.providers.x?.options?.apiKey).toBe('quo"te\\, "evil": 1')
    expect(config.mcp.m).toMatchObject({ headers: { a: 'Bearer mm-secret' } })
    expect(config.secrets).toEqual(['quo"te\\, "evil": 1', 'mm-secret'])
    expect(config.notes).toEqual([])
  })

  test('what is shown to the model gets no secret: the reference stays empty and is named', async () => {
    const config = await load(
      { 'opencode.json': '{\n "agent": {"a": {"prompt": "key {env:OPENAI_API_KEY} on {env:RUNNER_OS}"}}}' },
      { env: { OPENAI_API_KEY: 'sk-1', RUNNER_OS: 'Linux' } },
    )
    expect(config.agents.a?.prompt).toBe('key  on Linux')
    expect(config.notes).toEqual([expect.stringMatching(/^opencode\.json:2:\d+: \{env:OPENAI_API_KEY\} was left empty/)])
  })

  test.each(['GITHUB_TOKEN', 'ACTIONS_RUNTIME_TOKEN', 'INPUT_SESSION-KEY', 'SAME'])('%s of the job is given to nobody', async (name) => {
    const env = { GITHUB_TOKEN: 'ghs_1', ACTIONS_RUNTIME_TOKEN: 'rt', 'INPUT_SESSION-KEY': 'sk', 'INPUT_GITHUB-TOKEN': 'ghs_2', SAME: 'ghs_2' }
    const config = await load({ 'opencode.json': `{"mcp": {"m": {"type": "local", "command": ["x", "{env:${name}}"]}}}` }, { env })
    expect(config.mcp.m).toMatchObject({ command: ['x', ''] })
    expect(config.notes).toEqual([expect.stringContaining(`{env:${name}} was left empty: it belongs to the job itself`)])
  })

  test('C169 a variable that is not set is empty and named', async () => {
    const config = await load({ 'opencode.json': '{"provider": {"x": {"options": {"apiKey": "{env:NOPE}"}}}, "username": "{env:NOPE}"}' })
    expect(config.providers.x?.options?.apiKey).toBe('')
    expect(config.notes[0]).toContain('{env:NOPE} is empty: the job has no such variable')
  })

  test('a number may come from the environment', async () => {
    const config = await load({ 'opencode.json': '{"mcp": {"m": {"type": "local", "command": ["x"], "timeout": {env:MCP_MS}}}}' }, { env: { MCP_MS: '1500' } })
    expect(config.mcp.m?.timeout).toBe(1500)
  })

  test('{file:} is the trimmed text of a file beside the configuration, also nested', async () => {
    const config = await load({
      '.opencode/opencode.json': '{"agent": {"a": {"prompt": "{file:./prompts/a.txt}"}, "b": {"prompt": "{file:../shared.md} and {file:prompts/a.txt}"}}}',
      '.opencode/prompts/a.txt': '  Say "hi"\\\nthen go. \n',
      'shared.md': 'Shared',
    })
    expect(config.agents.a?.prompt).toBe('Say "hi"\\\nthen go.')
    expect(config.agents.b?.prompt).toBe('Shared and Say "hi"\\\nthen go.')
  })

  test.each([
    ['{file:./gone.md}', /^opencode\.json:1:27: the file of \{file:\.\/gone\.md\} is not in the trusted commit/],
    ['{file:/etc/passwd}', /leads out of the repository/],
    ['{file:~/key}', /leads out of the repository/],
    ['{file:../../up}', /leads out of the repository/],
  ])('%s is an error that says where', async (reference, message) => {
    await expect(load({ 'opencode.json': `{"agent":{"a":{"prompt": "${reference}"}}}` })).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(message),
    })
  })

  test('nothing is filled in within comments', async () => {
    const config = await load({ 'opencode.jsonc': '// {file:gone.md} {env:SECRET}\n{ "model": "a/b" /* {file:x} */ } // {file:y}' })
    expect(config.preferences.model).toBe('a/b')
    expect(config.notes).toEqual([])
  })
})

describe('mistakes', () => {
  test.each([
    ['{"model": "a/b"', 'opencode.json:1:16: this is not valid JSON (close brace expected)'],
    ['{\n  "model": gpt\n}', 'opencode.json:2:12: this is not valid JSON'],
    ['[1]', 'opencode.json:1:1: a configuration must be an object'],
    ['{\n  "model": "gpt-5"\n}', 'opencode.json:2:3: model must have the form provider/model'],
    ['{\n  "agent": {\n    "a": { "steps": 0 } } }', 'opencode.json:3:12: agent.a.steps too small'],
    ['{"mcp": {"m": {"type": "local", "command": "npx x"}}}', 'opencode.json:1:33: mcp.m.command invalid input: expected array'],
    ['{"mcp": {"m": {"type": "remote", "url": "ftp://x"}}}', 'mcp.m.url must be an http or https address'],
    ['{"permission": {"bash": {"*": "always"}}}', 'opencode.json:1:26: permission.bash.* invalid option'],
    ['{"command": {"c": {}}}', 'opencode.json:1:14: command.c.template invalid input: expected string'],
    ['{"permissions": [{"action": "deny"}]}', 'write the rules as `permission`'],
  ])('%j is refused, with file, line and column', async (text, message) => {
    await expect(load({ 'opencode.json': text })).rejects.toMatchObject({ name: 'ConfigError', message: expect.stringContaining(message) })
  })

  test('columns count in the file as it is written, whatever was filled in', async () => {
    const text = '{"provider": {"x": {"options": {"apiKey": "{env:LONG}"}}}, "model": "nope"}'
    await expect(load({ 'opencode.json': text }, { env: { LONG: 'x'.repeat(500) } })).rejects.toThrow(`opencode.json:1:${text.indexOf('"model"') + 1}: `)
  })

  test('several mistakes are told at once', async () => {
    await expect(load({ 'opencode.json': '{"model": "a", "small_model": "b"}' })).rejects.toThrow(/has 2 faults:\n- .*model.*\n- .*small_model/)
  })

  test.each([
    ['{"modle": "a/b"}', 'opencode.json:1:2: the key "modle" is unknown and was ignored. Did you mean "model"?'],
    ['{"smallModel": "a/b"}', 'the key "smallModel" is unknown and was ignored. Did you mean "small_model"?'],
    ['{"qqqqqqqq": 1}', 'the key "qqqqqqqq" is unknown and was ignored.'],
    ['{"compaction": {"autos": true}}', 'the key "autos" is unknown and was ignored. Did you mean "auto"?'],
    ['{"mcp": {"m": {"type": "local", "command": ["x"], "env": {}}}}', 'the key "env" is unknown'],
    ['{"provider": {"x": {"options": {"baseUrl": "https://x.example"}}}}', 'the key "baseUrl" is unknown and was ignored. Did you mean "baseURL"?'],
    ['{"share": "auto"}', 'opencode.json:1:2: "share" means nothing in a GitHub Action and was ignored.'],
    ['{"model": "a/b", "__proto__": {"tools": {"bash": true}}}', 'opencode.json:1:18: the key "__proto__" was ignored.'],
  ])('%j is told in a note', async (text, note) => {
    expect((await load({ 'opencode.json': text })).notes).toEqual([expect.stringContaining(note)])
  })

  test('a schema line and keys that providers define are fine', async () => {
    const config = await load({
      'opencode.json': json({ $schema: 'https://opencode.ai/config.json', provider: { x: { options: { region: 'eu', baseURL: 'https://x' } } } }),
    })
    expect(config.notes).toEqual([])
    expect(config.providers.x?.options).toEqual({ region: 'eu', baseURL: 'https://x' })
  })

  test('the newer spellings of OpenCode are understood', async () => {
    const { agents, commands, mcp, preferences } = await load({
      'opencode.json': json({
        agents: { a: { prompt: 'A' } },
        commands: { c: { template: 'C' } },
        mcp: { servers: { m: { type: 'local', command: ['x'] } } },
        compaction: { keep: { tokens: 5 }, buffer: 7 },
      }),
    })
    expect(agents.a?.prompt).toBe('A')
    expect(commands.map(({ name }) => name)).toContain('c')
    expect(Object.keys(mcp)).toEqual(['m'])
    expect(preferences.compaction).toEqual({ preserve_recent_tokens: 5, reserved: 7 })
  })

  test('what the job gives is checked before anything else is looked at', async () => {
    await expect(checkJobConfig({}, '{"model": 5}')).rejects.toThrow('the input config:1:2: model')
    await expect(checkJobConfig({ OPENCODE_CONFIG_CONTENT: '{' }, '')).rejects.toThrow('OPENCODE_CONFIG_CONTENT:1:')
    await expect(checkJobConfig({}, '{"agent": {"a": {"prompt": "{file:later.md}"}}}')).resolves.toBeUndefined()
  })
})
