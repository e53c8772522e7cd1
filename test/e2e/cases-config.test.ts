import { describe, expect, test } from 'vitest'
import { comments } from '../support/world.ts'
import { opencodeRepository, resultOf, told } from './opencode-repository.ts'
import { comment, expectExit, files, fixDate, says, within, writes } from './support.ts'

/** Public failures of configuration (test/cases/README.md), as the built action meets them. */

describe('C169 a model that can’t be used is found before anything is written, and the reason says what to set', () => {
  test.each([
    ['an unknown provider', { model: 'acme/vendor/model-x' }, /"acme" is no known model provider.*anthropic.*openai.*base-url/s],
    ['an unknown model', { model: 'anthropic/claude-sonet-5', 'api-key': 'k' }, /claude-sonet-5.*claude-sonnet-5/s],
    ['a key that is missing', { model: 'anthropic/claude-sonnet-5' }, /no key for Anthropic.*api-key.*ANTHROPIC_API_KEY/s],
    ['no provider', { model: 'claude' }, /claude.*provider\/model/s],
  ])('%s', (_, inputs, reason) =>
    within({ script: says('never asked') }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const done = await comment(world, number, 'alice', '/oc fix it', { inputs: { 'base-url': '', ...inputs } })
      expectExit(done, 1)
      expect(done.outputs.reason).toMatch(reason)
      expect(writes(world)).toEqual([])
      expect(world.model?.requests()).toEqual([])
    }),
  )

  test('the part after the first slash may hold more', () =>
    within({ script: says('Done.') }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const done = await comment(world, number, 'alice', '/oc fix it', { inputs: { model: 'acme/vendor/model-x' } })
      expectExit(done, 0)
      expect(done.outputs.model).toBe('acme/vendor/model-x')
      expect(world.model?.requests()[0]?.model).toBe('vendor/model-x')
    }))
})

test('C169 an agent of the repository with a model nobody knows is answered in the thread', () =>
  within({ seed: { files: { ...files, '.opencode/agent/poet.md': '---\nmodel: acme/rhymes\n---\nYou rhyme.\n' } }, script: says('Done.') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/oc fix it', {
      inputs: { model: '', 'base-url': '', 'api-key': '', agent: 'poet' },
      env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: world.model?.baseUrl ?? '' },
    })
    expectExit(done, 1)
    expect(comments(world, number).at(-1)?.body).toContain('"acme" is no known model provider')
  }))

describe('C170 booleans and lists are read as people write them', () => {
  test('in other letters, with blanks, line ends and empty entries', () =>
    within({ script: says('Done.') }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const done = await comment(world, number, 'alice', '/bot fix it', { inputs: { 'debug-prompt': ' True ', triggers: '/helper,\r\n\n  /bot ,\n' } })
      expectExit(done, 0)
      expect(done.stdout).toContain('opencode-prompt-')
    }))

  test('and what is neither is refused, naming the input', () =>
    within({ script: says('never asked') }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const done = await comment(world, number, 'alice', '/oc fix it', { inputs: { 'debug-prompt': 'yes' } })
      expectExit(done, 1)
      expect(done.outputs.reason).toMatch(/debug-prompt.*true.*false/s)
      expect(writes(world)).toEqual([])
    }))
})

test('C165 an empty input `config` and empty variables leave the repository’s configuration as it is', () =>
  within({ seed: { files: { ...files, 'opencode.json': '{ "default_agent": "plan" }' } }, script: fixDate }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const env = { OPENCODE_CONFIG_CONTENT: '', OPENCODE_CONFIG: '', OPENCODE_PERMISSION: ' ' }
    const done = await comment(world, number, 'alice', '/oc fix it', { inputs: { config: '', agent: '' }, env })
    expectExit(done, 0)
    expect(resultOf(world, 'edit_1')).toContain('forbids `edit`')
  }))

test('C168 configuration and instructions are looked for from the working directory up to the workspace', () => {
  const below = {
    'packages/dates/opencode.json': '{ "default_agent": "poet" }',
    'packages/dates/.opencode/agent/poet.md': 'You rhyme.\n',
  }
  return within({ seed: { files: { ...opencodeRepository(), ...below } }, script: says('Done.') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/oc look', { inputs: { 'working-directory': 'packages/dates' } })
    expectExit(done, 0)
    const { system, tools } = told(world)
    expect(system).toMatch(/^You rhyme\./)
    expect(system.indexOf('Instructions from: AGENTS.md')).toBeGreaterThan(0)
    expect(system.indexOf('Instructions from: packages/dates/AGENTS.md')).toBeGreaterThan(system.indexOf('Instructions from: AGENTS.md'))
    expect(system).toContain('<location>../../.opencode/skill/release-notes/SKILL.md</location>')
    expect(tools).toContain('ticket')
  })
})
