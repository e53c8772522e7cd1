import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { draft, finish } from '../../src/tool/draft.ts'
import { truncator } from '../../src/tool/truncate.ts'
import { tempFolder } from '../support/closing.ts'
import { bench } from './kit.ts'

const context = { sessionID: 's', messageID: 'm', callID: 'c', agent: 'build', signal: new AbortController().signal, metadata: () => undefined }

describe('the built-in tools', () => {
  it('are OpenCode’s, with its parameter names', () => {
    const names = Object.fromEntries(bench().tools.map(({ id, parameters }) => [id, Object.keys(parameters.shape)]))
    expect(names).toEqual({
      bash: ['command', 'timeout', 'workdir'],
      read: ['filePath', 'offset', 'limit'],
      glob: ['pattern', 'path'],
      grep: ['pattern', 'path', 'include'],
      list: ['path'],
      edit: ['filePath', 'oldString', 'newString', 'replaceAll'],
      write: ['content', 'filePath'],
      webfetch: ['url', 'format', 'timeout'],
      todowrite: ['todos'],
      todoread: [],
    })
  })

  it.each<[string, boolean]>([
    ['gpt-5', true],
    ['gpt-5.2-codex', true],
    ['openai/GPT-5-mini', true],
    ['gpt-4o', false],
    ['gpt-4.1-mini', false],
    ['gpt-oss-120b', false],
    ['claude-sonnet-4-5', false],
    ['gemini-3-pro', false],
    ['o3', false],
  ])('change files by patches or by replacing, as %s was trained', (modelID, patches) => {
    const ids = bench({ repository: false, modelID }).tools.map(({ id }) => id)
    expect(ids.filter((id) => ['edit', 'write', 'apply_patch'].includes(id))).toEqual(patches ? ['apply_patch'] : ['edit', 'write'])
  })

  it('take less than 6 kB of a request', () => {
    const definitions = bench().tools.map(({ id, description, parameters }) => ({
      name: id,
      description,
      parameters: z.toJSONSchema(parameters, { io: 'input', target: 'draft-7' }),
    }))
    expect(Buffer.byteLength(JSON.stringify(definitions))).toBeLessThan(6_000)
    expect(JSON.stringify(definitions)).not.toContain('{{')
  })

  it('describe every parameter, and ask for whole numbers where they count', () => {
    const skill = { name: 'a', description: 'b', location: 'c', body: 'd', files: [] }
    const all = [...bench({ modelID: 'gpt-5', skills: [skill], search: { exaKey: 'k' } }).tools, ...bench().tools]
    for (const { id, parameters } of all) {
      const { properties = {} } = z.toJSONSchema(parameters, { io: 'input', target: 'draft-7' })
      for (const [name, schema] of Object.entries(properties)) expect(schema, `${id}.${name}`).toHaveProperty('description')
    }
    const read = bench().tools.find(({ id }) => id === 'read')
    expect(read && z.toJSONSchema(read.parameters, { io: 'input', target: 'draft-7' })).toMatchObject({
      required: ['filePath'],
      properties: { offset: { type: 'integer', minimum: 0 }, limit: { type: 'integer' } },
    })
  })
})

describe('the arguments of a call', () => {
  it('may have null for what is left out, and keys nobody asked for', async () => {
    const b = bench({ files: { a: 'x\n' } })
    expect((await b.call('read', { filePath: 'a', offset: null, limit: null, extra: 1 })).output).toContain('1: x')
  })

  it('pollute nothing with prototype keys (C148)', async () => {
    const b = bench({ files: { a: 'x\n' } })
    const input: unknown = JSON.parse('{"filePath":"a","\\u005f_proto__":{"x":1},"constructor":{"prototype":{"x":1}}}')
    expect((await b.call('read', input)).output).toContain('1: x')
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
    expect(await b.failure('read', JSON.parse('{"__proto__":{"filePath":"a"}}'))).toMatch(/read tool.*filePath/)
  })

  it('are refused with the tool’s name, what was wrong and what to do', async () => {
    const b = bench()
    for (const input of [undefined, null, 'a', [], {}, { filePath: 1 }]) {
      expect(await b.failure('read', input)).toMatch(/^The read tool was called with arguments that do not fit: .+ Rewrite the call/)
    }
  })
})

describe('the list of todos', () => {
  it('is kept as it was written and can be read back', async () => {
    const b = bench()
    const todos = [
      { content: 'find', status: 'completed', priority: 'high' },
      { content: 'fix', status: 'in_progress', priority: 'high' },
    ]
    expect((await b.call('todowrite', { todos })).title).toBe('1 open todo')
    expect(b.todos).toEqual(todos)
    expect(JSON.parse((await b.call('todoread', {})).output)).toEqual(todos)
  })
})

describe('what every tool’s output goes through', () => {
  const tool = (output: string, metadata: Record<string, unknown> = {}) =>
    finish(
      draft(
        't',
        z.object({}),
        () => [],
        async () => ({ title: 't', output, metadata }),
      ),
      'd',
      truncator(tempFolder()),
    )

  it('cuts what the tool did not cut itself', async () => {
    const long = 'x\n'.repeat(3_000)
    const cut = await tool(long).execute({}, context)
    expect(cut.output).toContain('...1000 lines')
    expect(cut.metadata).toMatchObject({ truncated: true, outputPath: expect.stringContaining('tool_') })
    expect((await tool(long, { truncated: false }).execute({}, context)).output).toBe(long)
  })

  it('makes it clean and never empty (C31, C38)', async () => {
    expect((await tool('').execute({}, context)).output).toBe('(no output)')
    expect((await tool('a\0\ud83d').execute({}, context)).output).toBe('a\uFFFD')
  })
})
