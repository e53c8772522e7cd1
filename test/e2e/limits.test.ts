import { describe, expect, test } from 'vitest'
import { http, sseModel, text } from '../support/sse-model.ts'
import { comments } from '../support/world.ts'
import { comment, expectExit, within, writes } from './support.ts'

/** Limits of a run and models that take over, as far as a person on GitHub could see them. */

describe('a run that reaches a limit', () => {
  test('sums up, publishes its work, and names the limit', () =>
    within(
      {
        script: ({ messages, mayCall }) => {
          const count = messages.filter(({ role }) => role === 'tool').length
          return mayCall
            ? { calls: [{ id: `write_${count}`, name: 'write', arguments: { filePath: `${count}.txt`, content: 'x' } }] }
            : { text: 'One file is written.' }
        },
      },
      async (world) => {
        const { number } = world.github.openIssue({ title: 'Write files', author: 'rita' })
        const done = await comment(world, number, 'alice', '/opencode write', { inputs: { 'max-tokens': '10' } })
        expectExit(done, 0)
        const reply = comments(world, number).at(-1)?.body ?? ''
        expect(reply).toContain('One file is written.')
        expect(reply).toContain('the limit of 10 tokens is reached')
        expect(reply).toContain('max-tokens')
        expect(writes(world).some((write) => write.endsWith('/pulls'))).toBe(true)
      },
    ))

  test('of money, with a model whose price nobody knows, does not begin', () =>
    within({ script: () => ({ text: 'never' }) }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const done = await comment(world, number, 'alice', '/opencode fix it', { inputs: { 'max-cost-usd': '1' } })
      expectExit(done, 1)
      expect(done.stdout).toContain('the price of scripted/model is not known')
      expect(world.model?.requests()).toEqual([])
      expect(writes(world)).toEqual([])
    }))
})

describe('a model that fails for good', () => {
  test('is replaced by the next one, and the reply says so', async () => {
    await using failing = await sseModel()
    await using spare = await sseModel()
    failing.otherwise(http(429, { error: { code: 'insufficient_quota', message: 'You have run out of credits.' } }))
    spare.otherwise(text('The spare one answers.'))
    await within({}, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const done = await comment(world, number, 'alice', '/opencode why?', {
        inputs: { model: 'acme/m', 'base-url': failing.url, 'api-key': 'sk-acme-0123456789', 'fallback-models': 'spare/m2' },
        env: { SPARE_BASE_URL: spare.url, SPARE_API_KEY: 'sk-spare-0123456789' },
      })
      expectExit(done, 0)
      const reply = comments(world, number).at(-1)?.body ?? ''
      expect(reply).toContain('The spare one answers.')
      expect(reply).toContain('acme/m failed and spare/m2 took over')
      expect(reply).toContain('You have run out of credits.')
      expect(done.outputs.model).toBe('spare/m2')
    })
  })
})
