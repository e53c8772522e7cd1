import { describe, expect, test } from 'vitest'
import { authorize, disabled, evaluate, fromConfig, merge, PermissionConfig, PermissionDenied, permissionOf, type Rule } from '../../src/tool/permission.ts'

const rule = (permission: string, pattern: string, action: Rule['action']): Rule => ({ permission, pattern, action })

describe('rules from a configuration', () => {
  test('one action holds for everything', () => {
    expect(fromConfig('deny')).toEqual([rule('*', '*', 'deny')])
  })

  test('an action for a permission holds for all its patterns, and patterns keep their written order', () => {
    const config = PermissionConfig.parse({ bash: { '*': 'ask', 'git *': 'allow', 'git push *': 'deny' }, edit: 'allow', 'my_server_*': 'deny' })
    expect(fromConfig(config)).toEqual([
      rule('bash', '*', 'ask'),
      rule('bash', 'git *', 'allow'),
      rule('bash', 'git push *', 'deny'),
      rule('edit', '*', 'allow'),
      rule('my_server_*', '*', 'deny'),
    ])
  })

  test('`~` and `$HOME` at the start of a pattern are the home folder, and nowhere else', () => {
    const patterns = { '~': 'allow', '~/x/*': 'allow', $HOME: 'allow', '$HOME/y': 'allow', 'a/~/b': 'allow', '~user': 'allow', $HOMES: 'allow' } as const
    const expanded = fromConfig({ read: patterns }, '/home/me').map(({ pattern }) => pattern)
    expect(expanded).toEqual(['/home/me', '/home/me/x/*', '/home/me', '/home/me/y', 'a/~/b', '~user', '$HOMES'])
    expect(fromConfig({ read: { '~/x': 'allow' } }).map(({ pattern }) => pattern)).toEqual(['~/x'])
  })

  test('an unknown action is refused', () => {
    expect(PermissionConfig.safeParse({ bash: 'sometimes' }).success).toBe(false)
    expect(PermissionConfig.safeParse('sometimes').success).toBe(false)
  })
})

describe('evaluation', () => {
  test('the last rule that fits decides, whether it is the wide or the narrow one', () => {
    const wide = rule('bash', '*', 'deny')
    const narrow = rule('bash', 'git *', 'allow')
    expect(evaluate('bash', 'git log', [wide, narrow]).action).toBe('allow')
    expect(evaluate('bash', 'git log', [narrow, wide]).action).toBe('deny')
    expect(evaluate('bash', 'rm x', [wide, narrow]).action).toBe('deny')
  })

  test('the name of the permission is a wildcard too', () => {
    expect(evaluate('github_issue', '*', [rule('*', '*', 'allow'), rule('github_*', '*', 'deny')]).action).toBe('deny')
    expect(evaluate('gitlab_issue', '*', [rule('*', '*', 'allow'), rule('github_*', '*', 'deny')]).action).toBe('allow')
  })

  test('what no rule speaks of has to be asked for', () => {
    expect(evaluate('bash', 'ls', [])).toEqual(rule('bash', '*', 'ask'))
    expect(evaluate('bash', 'ls', [rule('edit', '*', 'allow')]).action).toBe('ask')
  })

  test('lists are laid over each other, the later one on top', () => {
    const below = fromConfig({ bash: 'allow', edit: 'allow' })
    const above = fromConfig({ bash: 'deny' })
    expect(merge(below, above)).toEqual([...below, ...above])
    expect(evaluate('bash', 'ls', merge(below, above)).action).toBe('deny')
    expect(evaluate('bash', 'ls', merge(above, below)).action).toBe('allow')
  })

  test('task: rules by agent, and by groups of agents', () => {
    const rules = fromConfig({ task: { '*': 'deny', 'orchestrator-*': 'allow', 'orchestrator-slow': 'deny' } })
    const actionOf = (agent: string) => evaluate('task', agent, rules).action
    expect(['general', 'orchestrator-fast', 'orchestrator-slow'].map(actionOf)).toEqual(['deny', 'allow', 'deny'])
  })
})

describe('hidden tools', () => {
  const tools = ['bash', 'edit', 'write', 'apply_patch', 'read', 'read_mcp_resource', 'task']
  const hidden = (config: PermissionConfig) => [...disabled(tools, fromConfig(config))]

  test('a tool is hidden when everything it may do is forbidden', () => {
    expect(hidden({ bash: 'deny' })).toEqual(['bash'])
    expect(hidden('deny')).toEqual(tools)
    expect(hidden({ task: { '*': 'deny' } })).toEqual(['task'])
  })

  test('a rule for some patterns hides nothing, and neither does ask', () => {
    expect(hidden({ bash: { 'rm *': 'deny' } })).toEqual([])
    expect(hidden({ bash: 'ask' })).toEqual([])
  })

  test('a later rule that allows something shows the tool again', () => {
    expect(hidden({ '*': 'deny', bash: { 'git *': 'allow' } })).not.toContain('bash')
    expect(hidden({ bash: { 'git *': 'allow', '*': 'deny' } })).toContain('bash')
  })

  test('edit is the permission of all tools that change files, read that of MCP resources', () => {
    expect(hidden({ edit: 'deny' })).toEqual(['edit', 'write', 'apply_patch'])
    expect(hidden({ read: 'deny' })).toEqual(['read', 'read_mcp_resource'])
    expect(['bash', 'write', 'constructor'].map(permissionOf)).toEqual(['bash', 'edit', 'constructor'])
  })
})

describe('a call', () => {
  const tool = (...patterns: string[]) => ({ id: 'bash', permission: () => [{ permission: 'bash', patterns }] })
  const denial = async (...args: Parameters<typeof authorize>) => {
    try {
      await authorize(...args)
    } catch (error) {
      if (error instanceof PermissionDenied) return error
      throw error
    }
    return undefined
  }

  test('passes when everything it needs is allowed', async () => {
    expect(await denial(tool('git log', 'ls'), {}, fromConfig({ bash: { 'git *': 'allow', ls: 'allow' } }))).toBeUndefined()
    expect(await denial(tool(), {}, [])).toBeUndefined()
  })

  test('fails at the first thing that is denied, with the rule in words', async () => {
    const error = await denial(tool('ls', 'rm a', 'rm b'), {}, fromConfig({ bash: { '*': 'allow', 'rm *': 'deny' } }))
    expect(error?.rule).toEqual(rule('bash', 'rm *', 'deny'))
    expect(error?.message).toMatch(/`bash: rm \*`.*forbids `bash` of `rm a`/)
    expect(error?.message).not.toContain('rm b')
  })

  test('C55: ask is a denial that says nobody can be asked', async () => {
    expect((await denial(tool('ls'), {}, fromConfig({ bash: 'ask' })))?.message).toMatch(/`bash: \*`.*nobody can be asked/)
    expect((await denial(tool('ls'), {}, []))?.message).toMatch(/nobody can be asked/)
  })

  test('of a tool that does not say what it needs is judged by the tool’s name', async () => {
    expect((await denial({ id: 'github_search' }, {}, fromConfig({ '*': 'allow', 'github_*': 'deny' })))?.message).toContain('forbids `github_search`')
    expect((await denial({ id: 'write' }, {}, fromConfig({ '*': 'allow', edit: 'deny' })))?.message).toContain('forbids `edit`')
  })
})
