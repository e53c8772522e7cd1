import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { FrontMatterError, readMarkdown } from '../../src/config/markdown.ts'
import { fakeTree } from '../support/tree.ts'

const load = (files: Readonly<Record<string, string>>, directory = '', env = {}) => loadConfig({ tree: fakeTree(files), directory, env, texts: (name) => name })

describe('front matter', () => {
  test.each([
    ['description: Review: be strict', { description: 'Review: be strict' }],
    ['description: "quoted: yes"', { description: 'quoted: yes' }],
    ["description: it's 5: five", { description: "it's 5: five" }],
    ['url: https://example.com:8080/a?b=c#d', { url: 'https://example.com:8080/a?b=c#d' }],
    ['model: anthropic/claude-sonnet-4-5', { model: 'anthropic/claude-sonnet-4-5' }],
    ['description: |\n  one\n  two: three\nmode: primary', { description: 'one\ntwo: three\n', mode: 'primary' }],
    ['description: >-\n  one\n  two\nsteps: 5', { description: 'one two', steps: 5 }],
    ['description: uses: colons\ntools:\n  bash: false\n  "x_*": true', { description: 'uses: colons', tools: { bash: false, 'x_*': true } }],
    ['temperature: 0.1\nhidden: true\nlist: [a, b]', { temperature: 0.1, hidden: true, list: ['a', 'b'] }],
    ['description:\nmode: all', { mode: 'all' }],
    ['# a comment\nmode: all', { mode: 'all' }],
  ])('%j is read', async (written, data) => {
    expect(await readMarkdown(`---\n${written}\n---\n\n# Body\n---\nrest\n`)).toEqual({ data, body: '# Body\n---\nrest' })
  })

  test('line ends of Windows, an empty one, and none at all', async () => {
    expect(await readMarkdown('---\r\nmode: all\r\n---\r\nA\r\nB\r\n')).toEqual({ data: { mode: 'all' }, body: 'A\nB' })
    expect(await readMarkdown('---\n---\nA')).toEqual({ data: {}, body: 'A' })
    expect(await readMarkdown('A\n---\nb: c\n---\n')).toEqual({ data: {}, body: 'A\n---\nb: c\n---' })
  })

  test.each(['a: [1', 'a: b\na: c', '- a\n- b', 'just words', 'a: &x 1\nb: *y'])('%j is refused', async (written) => {
    await expect(readMarkdown(`---\n${written}\n---\n`)).rejects.toBeInstanceOf(FrontMatterError)
  })

  test('whatever a file holds, it is read or refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `---\n${text}\n---\nbody`),
        ),
        async (text) => {
          const result = await readMarkdown(text).catch((error: unknown) => error)
          expect(result instanceof FrontMatterError || typeof result === 'object').toBe(true)
          if (result instanceof Error) expect(result).toBeInstanceOf(FrontMatterError)
        },
      ),
    )
  })
})

describe('agents, modes and commands', () => {
  test('load from folders in singular and plural, and nested names keep their slashes', async () => {
    const { agents, commands } = await load({
      '.opencode/agent/a.md': '---\nmode: subagent\n---\nA',
      '.opencode/agents/team/b.md': 'B',
      '.opencode/mode/m.md': 'M',
      '.opencode/modes/n.md': '---\nmode: subagent\n---\nN',
      '.opencode/modes/deep/o.md': 'O',
      '.opencode/command/c.md': '---\ndescription: See\nagent: a\nmodel: x/y/z\nsubtask: false\n---\nDo $1',
      '.opencode/commands/team/d.md': 'D',
    })
    expect(agents).toEqual({
      a: { mode: 'subagent', prompt: 'A' },
      'team/b': { prompt: 'B' },
      m: { mode: 'primary', prompt: 'M' },
      n: { mode: 'primary', prompt: 'N' },
    })
    expect(commands.slice(2)).toEqual([
      { name: 'c', template: 'Do $1', description: 'See', agent: 'a', model: { providerID: 'x', modelID: 'y/z' }, subtask: false },
      { name: 'team/d', template: 'D' },
    ])
  })

  test('a file changes an agent of opencode.json, and its name is no option', async () => {
    const { agents } = await load({
      'opencode.json': JSON.stringify({ agent: { build: { prompt: 'old', options: { a: { x: 1 } }, permission: { bash: 'ask' } } } }),
      '.opencode/agent/build.md': '---\nname: Builder\noptions:\n  a:\n    y: 2\npermission:\n  edit: deny\neffort: high\n---\nnew',
    })
    expect(agents.build).toEqual({ prompt: 'new', options: { a: { x: 1, y: 2 } }, permission: { bash: 'ask', edit: 'deny' }, effort: 'high' })
  })

  test('commands of the repository replace the built-in ones', async () => {
    const { commands } = await load({ '.opencode/command/review.md': 'Mine' })
    expect(commands).toEqual([
      { name: 'init', description: expect.any(String), template: 'commands/init' },
      { name: 'review', template: 'Mine' },
    ])
  })

  test('fields that do not fit are refused, with the file', async () => {
    await expect(load({ '.opencode/agent/a.md': '---\nmode: boss\n---\n' })).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(/^\.opencode\/agent\/a\.md: mode invalid option/),
    })
    await expect(load({ '.opencode/command/c.md': '---\nsubtask: maybe\n---\n' })).rejects.toThrow('.opencode/command/c.md: subtask')
  })

  test('front matter that is no YAML, and a mode that does not fit, are left out with a note', async () => {
    const { agents, commands, notes } = await load({
      '.opencode/agent/a.md': '---\na: [\n---\nA',
      '.opencode/command/c.md': '---\na: [\n---\nC',
      '.opencode/mode/m.md': '---\nsteps: none\n---\nM',
    })
    expect(agents).toEqual({})
    expect(commands.map(({ name }) => name)).toEqual(['init', 'review'])
    expect(notes.toSorted()).toEqual([
      expect.stringMatching(/^\.opencode\/agent\/a\.md was left out: its front matter is not valid YAML/),
      expect.stringMatching(/^\.opencode\/command\/c\.md was left out: its front matter is not valid YAML/),
      expect.stringMatching(/^\.opencode\/mode\/m\.md: steps .*; the mode was left out/),
    ])
  })

  test('an unknown field of a command is told with the nearest known one', async () => {
    const { notes } = await load({ '.opencode/command/c.md': '---\nagnet: a\n---\nC' })
    expect(notes).toEqual(['.opencode/command/c.md: the key "agnet" is unknown and was ignored. Did you mean "agent"?'])
  })
})

describe('skills', () => {
  const skill = (name: string, body = `Do ${name}`) => `---\nname: ${name}\ndescription: How to ${name}\n---\n${body}\n`

  test('are found in .opencode, .claude, .agents and the folders the configuration names', async () => {
    const { skills } = await load(
      {
        'opencode.json': JSON.stringify({ skills: { paths: ['../../shared'] } }),
        '.opencode/skill/one/SKILL.md': skill('one'),
        '.opencode/skills/deep/er/SKILL.md': skill('two'),
        '.claude/skills/three/SKILL.md': skill('three'),
        '.claude/commands/SKILL.md': skill('no'),
        'packages/.agents/skills/four/SKILL.md': skill('four'),
        'packages/.agents/skills/four/helper.py': '',
        'packages/api/.opencode/skill/five/SKILL.md': skill('five'),
        'shared/six/SKILL.md': skill('six'),
      },
      'packages/api',
    )
    expect(skills.map(({ name, location }) => [name, location])).toEqual([
      ['five', '.opencode/skill/five/SKILL.md'],
      ['four', '../.agents/skills/four/SKILL.md'],
      ['one', '../../.opencode/skill/one/SKILL.md'],
      ['six', '../../shared/six/SKILL.md'],
      ['three', '../../.claude/skills/three/SKILL.md'],
      ['two', '../../.opencode/skills/deep/er/SKILL.md'],
    ])
    expect(skills[1]).toMatchObject({ description: 'How to four', body: 'Do four', files: ['../.agents/skills/four/helper.py'] })
  })

  test('are commands too where the name is free', async () => {
    const { commands } = await load({ '.opencode/skill/a/SKILL.md': skill('a'), '.opencode/skill/r/SKILL.md': skill('review') })
    expect(commands.map(({ name, template }) => [name, template])).toEqual([
      ['init', 'commands/init'],
      ['review', 'commands/review'],
      ['a', 'Do a'],
    ])
  })

  test('of two with one name the one of .opencode counts, with a note; one that cannot be read is told', async () => {
    const { skills, notes } = await load({
      '.claude/skills/a/SKILL.md': skill('same', 'foreign'),
      '.opencode/skill/a/SKILL.md': skill('same', 'own'),
      '.opencode/skill/b/SKILL.md': 'no front matter',
      '.opencode/skill/c/SKILL.md': '---\nname: [\n---\n',
    })
    expect(skills.map(({ body }) => body)).toEqual(['own'])
    expect(notes).toEqual([
      'There are two skills named "same": .opencode/skill/a/SKILL.md is used, .claude/skills/a/SKILL.md is not.',
      expect.stringMatching(/^The skill \.opencode\/skill\/b\/SKILL\.md was left out: its front matter needs a name/),
      expect.stringMatching(/^The skill \.opencode\/skill\/c\/SKILL\.md was left out: its front matter is not valid YAML/),
    ])
  })

  test.each([
    ['OPENCODE_DISABLE_CLAUDE_CODE', ['b']],
    ['OPENCODE_DISABLE_CLAUDE_CODE_SKILLS', ['b']],
    ['OPENCODE_DISABLE_EXTERNAL_SKILLS', []],
  ])('%s leaves those of other tools out', async (name, left) => {
    const files = { '.claude/skills/a/SKILL.md': skill('a'), '.agents/skills/b/SKILL.md': skill('b') }
    expect((await load(files, '', { [name]: '1' })).skills.map((each) => each.name)).toEqual(left)
  })
})
