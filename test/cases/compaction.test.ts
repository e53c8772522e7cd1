import { describe, expect, test } from 'vitest'
import { assistantsOf, result, tool } from '../session/harness.ts'
import { call, type Dialect, dialects } from './dialects.ts'
import { type Play, play } from './play.ts'

/** Public cases of compaction, in every protocol. */

const json = (status: number, message: string, code?: string) => ({
  status,
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify({ error: { message, ...(code === undefined ? {} : { code }) } })],
})
const tooLong = json(400, 'The request is too long.', 'context_length_exceeded')
const read = (id: string) => ({ calls: [call(id, 'read', { path: id })] })
const summary = { text: '## Goal\n- The dates are to be fixed.' }
const small = { limit: { context: 40_000, output: 4_000 } }

/** Requests for a summary: they offer no tools. */
const summaries = ({ bodies }: Play) => bodies.filter((body) => !body.includes('"tools":['))
const textOf = (dialect: Dialect, body: string | undefined) =>
  dialect
    .read(body ?? '')
    .map((item) => ('text' in item ? item.text : ''))
    .join('\n')

describe.each(dialects)('over $protocol', (dialect) => {
  test('C80 a compaction that does not help is followed by few more requests and an error that says so', async () => {
    const full = { usage: { input: 39_000, output: 10 } }
    const { error, bodies } = await play(
      dialect,
      [
        { ...read('a'), ...full },
        { ...summary, ...full },
        { ...read('b'), ...full },
        { ...summary, ...full },
        { ...read('c'), ...full },
      ],
      {
        info: small,
        maxSteps: 1_000,
      },
    )
    expect(bodies.length).toBeLessThan(10)
    expect(error).toMatchObject({ name: 'ContextOverflowError', message: expect.stringContaining('40000') })
  })

  test('C80 a long run may be compacted again and again', async () => {
    const full = { usage: { input: 39_000, output: 10 } }
    const steps = ['a', 'b', 'c', 'd'].flatMap((id) => [{ ...read(id), ...full }, summary, read(`${id}2`)])
    const played = await play(dialect, [...steps, { text: 'Done' }], { info: small })
    expect(played.text).toBe('Done')
    expect(summaries(played)).toHaveLength(4)
  })

  test('C82 with auto: false nothing is summarised, also when the provider itself refuses', async () => {
    const played = await play(dialect, [read('a'), tooLong], { compaction: { auto: false } })
    expect(summaries(played)).toEqual([])
    expect(played.error?.name).toBe('ContextOverflowError')
  })

  test.each([
    'Requested token count exceeds the model’s maximum context length of 131072 tokens.',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'The input token count exceeds the maximum number of tokens allowed.',
    'Please reduce the length of the messages or completion.',
  ])('C84 "%s" leads to a summary and one more try', async (message) => {
    const played = await play(dialect, [read('a'), json(400, message), summary, { text: 'Done' }])
    expect(played.text).toBe('Done')
    expect(summaries(played)).toHaveLength(1)
    expect(played.bodies).toHaveLength(4)
  })

  test('C84 so does status 413 with a web page; a 400 about anything else does not', async () => {
    const page = { status: 413, headers: { 'content-type': 'text/html' }, pieces: ['<html>Payload Too Large</html>'] }
    const large = await play(dialect, [read('a'), page, summary, { text: 'Done' }])
    expect([large.text, summaries(large).length]).toEqual(['Done', 1])
    const other = await play(dialect, [read('a'), json(400, 'temperature must be a number'), summary, { text: 'Done' }])
    expect(other.error).toMatchObject({ name: 'APIError', statusCode: 400 })
    expect(summaries(other)).toEqual([])
  })

  test('C85 the words of the request, and of the newest message, survive two compactions', async () => {
    const played = await play(
      dialect,
      [read('a'), tooLong, summary, read('b'), tooLong, summary, { text: 'Done' }, read('c'), tooLong, summary, { text: 'Done again' }],
      {
        request: 'Fix the dates. The token is KEEP-7Q.',
        again: 'Now also ALSO-9Z.',
      },
    )
    expect(played.text).toBe('Done again')
    expect(summaries(played)).toHaveLength(3)
    expect(textOf(dialect, played.bodies[6])).toContain('KEEP-7Q')
    expect(textOf(dialect, played.bodies.at(-1))).toContain('KEEP-7Q')
    expect(textOf(dialect, played.bodies.at(-1))).toContain('ALSO-9Z')
  })

  test('C86 no cut comes between a call and its results', async () => {
    const large = tool('read', ({ path }) => result(`content of ${path}: ${'x'.repeat(9_000)}`))
    const full = { usage: { input: 39_000, output: 10 } }
    const two = (id: string) => ({ calls: [call(`${id}1`, 'read', { path: `${id}1` }), call(`${id}2`, 'read', { path: `${id}2` })] })
    // The order of every request is checked by `play`.
    const played = await play(
      dialect,
      [two('a'), two('b'), two('c'), { ...two('d'), ...full }, summary, two('e'), { ...two('f'), ...full }, summary, { text: 'Done' }],
      {
        info: small,
        tools: [large],
      },
    )
    expect(played.text).toBe('Done')
    expect(summaries(played)).toHaveLength(2)
    // Otherwise nothing was kept beside the summary and no cut was made at all.
    expect(played.results.length).toBeGreaterThan(0)
    expect(played.results.length).toBeLessThan(12)
  })

  test('C87 a summary that fails for a moment is asked for again; until one is usable the history counts as it was', async () => {
    const busy = json(500, 'oops')
    const played = await play(dialect, [read('a'), tooLong, busy, busy, summary, { text: 'Done' }])
    expect(played.text).toBe('Done')
    expect(played.waits).toHaveLength(2)
    const failed = await play(dialect, [read('a'), tooLong, busy])
    expect(failed.error?.message).toContain('oops')
    expect(assistantsOf(failed.messages).filter(({ summary, finish, error }) => summary && finish && !error)).toEqual([])
    const next = await play(dialect, [{ text: 'Done' }], { history: failed.messages, again: 'once more' })
    expect(textOf(dialect, next.bodies[0])).toContain('content of a')
  })
})

test('C83 a provider that reports no tokens is asked for them, and without them the text is counted', async () => {
  const [chat] = dialects
  if (!chat) throw new Error('there is no dialect')
  const large = tool('read', ({ path }) => result(`content of ${path}: ${'x'.repeat(40_000)}`))
  const silent = (id: string) => ({ ...read(id), usage: null })
  const played = await play(chat, [silent('a'), silent('b'), silent('c'), summary, silent('d'), { text: 'Done' }], {
    info: { limit: { context: 32_000, output: 8_000 } },
    tools: [large],
  })
  expect(played.bodies[0]).toContain('"stream_options":{"include_usage":true}')
  expect(summaries(played)).toHaveLength(1)
  expect(played.text).toBe('Done')
  for (const body of played.bodies) expect(body.length / 4).toBeLessThan(32_000)
})
