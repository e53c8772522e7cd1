import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount, type ModelMessage, tool } from 'ai'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { demoFiles } from '../../src/local/demo-repository.ts'
import { demoScript, firstComment, secondComment } from '../../src/local/demo-script.ts'
import { type ScriptedModel, startModel } from '../../src/local/model.ts'

let model: ScriptedModel
afterEach(() => model.close())

/** A toolbox over files in memory, as much of the real one as the demo's script uses. */
function toolbox(files: Map<string, string>) {
  const used: string[] = []
  const named = (name: string, shape: z.ZodObject, act: (input: Record<string, unknown>) => string) =>
    tool({
      inputSchema: shape,
      execute: async (input: Record<string, unknown>) => {
        used.push(name)
        return act(input)
      },
    })
  const file = z.object({ filePath: z.string() })
  return {
    used,
    tools: {
      read: named('read', file, ({ filePath }) => files.get(String(filePath)) ?? ''),
      grep: named('grep', z.object({ pattern: z.string() }), () => 'src/parse-date.js'),
      list: named('list', z.object({ path: z.string() }), () => [...files.keys()].join('\n')),
      write: named('write', file.extend({ content: z.string() }), ({ filePath, content }) => {
        files.set(String(filePath), String(content))
        return 'written'
      }),
      edit: named('edit', file.extend({ oldString: z.string(), newString: z.string() }), ({ filePath, oldString, newString }) => {
        const text = files.get(String(filePath)) ?? ''
        if (text.split(String(oldString)).length !== 2) throw new Error('oldString must be found once')
        files.set(
          String(filePath),
          text.replace(String(oldString), () => String(newString)),
        )
        return 'edited'
      }),
      todowrite: named('todowrite', z.object({ todos: z.array(z.unknown()) }), () => 'noted'),
      bash: named('bash', z.object({ command: z.string(), description: z.string() }), () =>
        files.get('src/parse-date.js')?.includes('month - 1') ? '# fail 0' : '# fail 2',
      ),
    },
  }
}

async function turn(messages: ModelMessage[], tools: ReturnType<typeof toolbox>['tools'], toolChoice: 'auto' | 'none' = 'auto') {
  const provider = createOpenAICompatible({ name: 'scripted', baseURL: model.baseUrl })
  return generateText({ model: provider('demo'), messages, tools, toolChoice, stopWhen: isStepCount(20) })
}

test('plays two turns of a conversation through tools and answers each', async () => {
  model = await startModel(demoScript)
  const files = new Map(Object.entries(demoFiles))
  const { tools, used } = toolbox(files)
  const first: ModelMessage[] = [{ role: 'user', content: `A comment:\n${firstComment}` }]
  const one = await turn(first, tools)
  expect(one.text).toContain('tests pass now')
  expect(used).toEqual(['bash', 'grep', 'read', 'read', 'edit', 'bash'])

  const second: ModelMessage[] = [...first, ...one.responseMessages, { role: 'user', content: secondComment }]
  const two = await turn(second, tools)
  expect(two.text).toContain('Days that do not exist are refused now')
  expect(used.slice(6)).toEqual(['read', 'read', 'todowrite', 'edit', 'edit', 'bash'])
  expect(files.get('src/parse-date.js')).toContain('No such day')
  expect(files.get('test/parse-date.test.js')).toContain('2023-02-29')

  const last = JSON.stringify(model.requests().at(-1))
  expect(last).toContain(firstComment)
  expect(last).toContain('call_leap_after')
})

test('gives the same answer to the same conversation, however often it is asked', async () => {
  model = await startModel(demoScript)
  const { tools } = toolbox(new Map())
  const ask = () =>
    generateText({ model: createOpenAICompatible({ name: 's', baseURL: model.baseUrl })('demo'), prompt: firstComment, tools, stopWhen: isStepCount(1) })
  const calls = [await ask(), await ask()].map((result) => result.toolCalls.map(({ toolCallId }) => toolCallId))
  expect(calls[0]).toEqual(['call_fix_before', 'call_fix_grep'])
  expect(calls[1]).toEqual(calls[0])
})

test('answers in words where no tool may be called, and says so when the tests were not seen to pass', async () => {
  model = await startModel(demoScript)
  const { tools, used } = toolbox(new Map())
  const { text } = await turn([{ role: 'user', content: firstComment }], tools, 'none')
  expect([used, text]).toEqual([[], expect.stringContaining('the tests still fail')])
})

test('shows the way for a request it has no plan for', async () => {
  model = await startModel(demoScript)
  const files = new Map(Object.entries(demoFiles))
  const { tools } = toolbox(files)
  const { text, totalUsage } = await turn([{ role: 'user', content: '/opencode do something else' }], tools)
  expect(text).toContain('I cannot think')
  expect(files.has('opencode-was-here.md')).toBe(true)
  expect(totalUsage.inputTokens).toBeGreaterThan(0)
})
