import { describe, expect, test } from 'vitest'
import { AgentConfig } from '../../src/session/agent-config.ts'
import { AgentError, type AgentOptions, agentsOf, defaultAgent, findAgent } from '../../src/session/agents.ts'
import { disabled, evaluate } from '../../src/tool/permission.ts'
import { texts } from './harness.ts'

type Config = Omit<AgentOptions, 'texts' | 'agents'> & { readonly agents?: Record<string, unknown> }

/** Agents of a configuration as it is written in a file. */
function agentsFrom({ agents = {}, ...rest }: Config = {}) {
  return agentsOf({ ...rest, texts, agents: Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, AgentConfig.parse(agent)])) })
}

const agent = (name: string, config?: Config) => findAgent(name, agentsFrom(config))
const may = (name: string, permission: string, pattern = '*', config?: Config) => evaluate(permission, pattern, agent(name, config).permission ?? []).action

describe('the built-in agents', () => {
  test('are seven, and only the first two lead sessions', () => {
    const list = agentsFrom().map(({ name, mode, hidden }) => [name, mode, ...(hidden ? ['hidden'] : [])])
    expect(list).toEqual([
      ['build', 'primary'],
      ['plan', 'primary'],
      ['general', 'subagent'],
      ['explore', 'subagent'],
      ['compaction', 'primary', 'hidden'],
      ['title', 'primary', 'hidden'],
      ['summary', 'primary', 'hidden'],
    ])
    expect(agent('title').temperature).toBe(0.5)
  })

  test('build may edit and run commands, and asks nobody', () => {
    expect([may('build', 'edit', 'src/a.ts'), may('build', 'bash', 'rm -rf x'), may('build', 'some_mcp_tool')]).toEqual(['allow', 'allow', 'allow'])
    expect(may('build', 'question')).toBe('deny')
  })

  test.each(['build', 'plan', 'general', 'explore'])('%s reads no environment files, except examples', (name) => {
    const actions = ['.env', 'a/.env.local', 'prod.env', '.env.example', '.envrc', 'environment.ts'].map((path) => may(name, 'read', path))
    expect(actions).toEqual(['ask', 'ask', 'ask', 'allow', 'allow', 'allow'])
  })

  test('plan edits only plan files and gives no work to general', () => {
    expect([may('plan', 'edit', 'src/a.ts'), may('plan', 'edit', '.opencode/plans/1.md'), may('plan', 'edit', '.opencode/plans/1.ts')]).toEqual([
      'deny',
      'allow',
      'deny',
    ])
    expect([may('plan', 'task', 'general'), may('plan', 'task', 'explore'), may('plan', 'bash', 'ls')]).toEqual(['deny', 'allow', 'allow'])
  })

  test('keep to what the job says of them, wherever the configuration has written the same keys', () => {
    const config: Config = {
      agents: { build: { permission: { bash: 'deny', '*': 'allow' } }, plan: { permission: { bash: 'allow' } } },
      jobAgents: { build: { permission: { bash: 'deny' } }, plan: { tools: { webfetch: false } } },
    }
    expect([may('build', 'bash', 'ls', config), may('build', 'webfetch', '*', config)]).toEqual(['deny', 'allow'])
    expect([may('plan', 'bash', 'ls', config), may('plan', 'webfetch', '*', config)]).toEqual(['allow', 'deny'])
  })

  test('general keeps no todo list', () => {
    expect([may('general', 'todowrite'), may('general', 'edit', 'a')]).toEqual(['deny', 'allow'])
  })

  test('explore has the tools for looking around and no others', () => {
    const tools = ['bash', 'read', 'glob', 'grep', 'list', 'webfetch', 'websearch', 'edit', 'write', 'todowrite', 'todoread', 'task', 'my_mcp_tool']
    const hidden = disabled(tools, agent('explore').permission ?? [])
    expect(tools.filter((tool) => !hidden.has(tool))).toEqual(['bash', 'read', 'glob', 'grep', 'list', 'webfetch', 'websearch'])
  })

  test.each(['compaction', 'title', 'summary'])('%s may do nothing', (name) => {
    expect(['edit', 'bash', 'read', 'task', 'my_mcp_tool'].map((permission) => may(name, permission, 'x'))).toEqual(Array(5).fill('deny'))
  })
})

describe('configured agents', () => {
  test('new ones come after the built-in ones, in mode all, with the default rules', () => {
    const agents = agentsFrom({ agents: { reviewer: { description: 'Reviews', prompt: 'You review.' }, 'team/writer': { mode: 'subagent' } } })
    expect(agents.slice(7)).toMatchObject([
      { name: 'reviewer', mode: 'all', description: 'Reviews', prompt: 'You review.' },
      { name: 'team/writer', mode: 'subagent' },
    ])
    expect(may('reviewer', 'edit', 'a', { agents: { reviewer: {} } })).toBe('allow')
  })

  test('override a built-in one only where they say something', () => {
    const config = { model: 'openai/gpt-5', variant: 'high', temperature: 0.2, top_p: 0.9, prompt: 'Mine.', steps: 7, hidden: true, mode: 'all' }
    expect(agent('build', { agents: { build: config } })).toMatchObject({
      model: { providerID: 'openai', modelID: 'gpt-5' },
      variant: 'high',
      temperature: 0.2,
      topP: 0.9,
      prompt: 'Mine.',
      steps: 7,
      hidden: true,
      mode: 'all',
    })
    const mild = agent('explore', { agents: { explore: { temperature: 0.1 } } })
    expect(mild).toEqual({ ...agent('explore'), temperature: 0.1 })
  })

  test('a model may hold slashes but must name its provider', () => {
    expect(agent('build', { agents: { build: { model: 'openrouter/qwen/qwen3' } } }).model).toEqual({ providerID: 'openrouter', modelID: 'qwen/qwen3' })
    expect(() => agentsFrom({ agents: { build: { model: 'gpt-5' } } })).toThrow(/agent "build" is "gpt-5"/)
  })

  test('maxSteps is the older name of steps', () => {
    expect(agent('build', { agents: { build: { maxSteps: 5 } } }).steps).toBe(5)
    expect(agent('build', { agents: { build: { maxSteps: 5, steps: 6 } } }).steps).toBe(6)
  })

  test('disable takes an agent away', () => {
    expect(agentsFrom({ agents: { general: { disable: true }, mine: { disable: true } } }).map(({ name }) => name)).not.toContain('general')
    expect(agentsFrom({ agents: { mine: { disable: true } } })).toHaveLength(7)
  })

  test('keys that are not ours become options, merged in depth with those that are given', () => {
    const config = { reasoningEffort: 'high', thinking: { type: 'on', budget: 1 }, options: { thinking: { budget: 2 }, store: false }, color: 'red', tools: {} }
    expect(agent('mine', { agents: { mine: config } }).options).toEqual({ reasoningEffort: 'high', thinking: { type: 'on', budget: 2 }, store: false })
    expect(agent('build').options).toBeUndefined()
  })

  test('rules for one agent win over those for all, and these over the built-in ones', () => {
    const config: Config = {
      permission: { bash: 'deny', edit: { '*': 'ask', 'docs/*': 'allow' } },
      agents: { build: { permission: { bash: { 'git *': 'allow' } } } },
    }
    expect([may('build', 'bash', 'ls', config), may('build', 'bash', 'git log', config), may('general', 'bash', 'git log', config)]).toEqual([
      'deny',
      'allow',
      'deny',
    ])
    expect([may('plan', 'edit', 'docs/a', config), may('plan', 'edit', 'src/a', config)]).toEqual(['allow', 'ask'])
    expect(may('build', 'anything', '*', { permission: 'deny' })).toBe('deny')
  })

  test('the older map of tools becomes rules, and explicit rules win over it', () => {
    const config: Config = {
      agents: { mine: { tools: { write: false, bash: false, patch: true, 'my_server_*': false }, permission: { bash: { 'ls *': 'allow' } } } },
    }
    expect([may('mine', 'edit', 'a', config), may('mine', 'my_server_x', '*', config)]).toEqual(['allow', 'deny'])
    expect([may('mine', 'bash', 'ls', config), may('mine', 'bash', 'rm', config)]).toEqual(['allow', 'deny'])
    expect(may('mine', 'edit', 'a', { agents: { mine: { tools: { edit: false } } } })).toBe('deny')
  })

  test('home is filled into patterns', () => {
    const config: Config = { home: '/home/me', permission: { external_directory: { '~/cache/*': 'allow' } } }
    expect(may('build', 'external_directory', '/home/me/cache/x', config)).toBe('allow')
  })
})

describe('the folder of saved outputs', () => {
  const outputs = '/tmp/out'
  const saved = (config: Config, name = 'build') => may(name, 'external_directory', '/tmp/out/tool_1', { outputs, ...config })

  test('stays open when other folders are closed, for all or for one agent', () => {
    expect(saved({})).toBe('allow')
    expect(saved({}, 'explore')).toBe('allow')
    expect(saved({ permission: { external_directory: 'deny' } })).toBe('allow')
    expect(saved({ agents: { build: { permission: { external_directory: { '*': 'deny' } } } } })).toBe('allow')
    expect(may('build', 'external_directory', '/etc/passwd', { outputs, permission: { external_directory: 'deny' } })).toBe('deny')
  })

  test('is closed when a rule forbids exactly it', () => {
    expect(saved({ permission: { external_directory: { '/tmp/out/*': 'deny' } } })).toBe('deny')
  })
})

describe('the agent that leads', () => {
  const all = agentsFrom({ agents: { mine: {}, shy: { hidden: true } } })

  test('is build, or the one that is configured', () => {
    expect(defaultAgent(all).name).toBe('build')
    expect(defaultAgent(all, 'mine').name).toBe('mine')
  })

  test('is refused when it is unknown, only for subtasks, or hidden', () => {
    expect(() => defaultAgent(all, 'nobody')).toThrow(/no agent "nobody"/)
    expect(() => defaultAgent(all, 'general')).toThrow(/"general".*only for subtasks/)
    expect(() => defaultAgent(all, 'shy')).toThrow(/"shy".*hidden/)
  })

  test('is plan when build is disabled, and nobody when nobody is left', () => {
    expect(defaultAgent(agentsFrom({ agents: { build: { disable: true } } })).name).toBe('plan')
    expect(() => defaultAgent(agentsFrom({ agents: { build: { disable: true }, plan: { mode: 'subagent' } } }))).toThrow(AgentError)
  })

  test('an unknown name is answered with the agents that are not hidden', () => {
    expect(() => findAgent('biuld', all)).toThrow(expect.objectContaining({ hint: 'The agents are: build, plan, general, explore, mine.' }))
  })
})
