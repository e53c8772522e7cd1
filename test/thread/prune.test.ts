import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Part, WithParts } from '../../src/session/message.ts'
import { blockChars, type Turn } from '../../src/thread/codec.ts'
import { prune } from '../../src/thread/prune.ts'
import { anyTurn, assistant, noise, plain, tool, turn, user } from './turns.ts'

const jsonChars = (some: Turn) => JSON.stringify(some).length
const texts = (some: Turn) => some.messages.map(({ parts }) => parts.flatMap((part) => (part.type === 'text' && !isTrace(part) ? [part.text] : [])))
const isTrace = (part: Part) => part.type === 'text' && part.text.startsWith('[The file ')

function stateOf(some: Turn, id: string): unknown {
  return some.messages.flatMap(({ parts }) => parts).find((part) => part.id === id && part.type === 'tool')
}

test('a turn that fits is kept as it is', () => {
  expect(prune(turn(1), 60_000, blockChars)).toEqual({ turn: turn(1), fits: true, left: [] })
})

test('whatever the room, what is said to fit fits, and no text of a person or of an answer is lost', () => {
  fc.assert(
    fc.property(anyTurn, fc.nat({ max: 9000 }), (some, room) => {
      const { turn: kept, fits, left } = prune(some, room, blockChars)
      expect(blockChars(kept) <= room).toBe(fits)
      expect(texts(kept)).toEqual(texts(some))
      expect(kept.session).toEqual(some.session)
      expect(kept.messages.map(({ info }) => info)).toEqual(some.messages.map(({ info }) => info))
      expect(kept.lossy).toBe(some.lossy || left.length > 0)
      if (left.length === 0) expect(plain(kept)).toEqual(plain(some))
    }),
  )
})

test('a turn with short texts always fits beside a reply, however much its tools read and wrote', () => {
  const part = fc.oneof(
    fc.nat({ max: 60_000 }).map((size): Part => tool(`prt_o${size}`, 'msg_b', noise(size, size + 1))),
    fc
      .nat({ max: 60_000 })
      .map(
        (size): Part => tool(`prt_i${size}`, 'msg_b', 'ok', { input: { content: noise(size, size + 1), edits: [{ old: noise(size, size + 1), new: 'x' }] } }),
      ),
    fc
      .nat({ max: 60_000 })
      .map((size): Part => ({ id: `prt_r${size}`, messageID: 'msg_b', type: 'reasoning', text: noise(size, size + 1), time: { start: 1 } })),
    fc
      .nat({ max: 60_000 })
      .map(
        (size): Part => ({ id: `prt_f${size}`, messageID: 'msg_b', type: 'file', mime: 'image/png', url: `data:image/png;base64,${noise(size, size + 1)}` }),
      ),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const some = turn(1, { messages: [user('msg_a', 'question'), assistant('msg_b', 'msg_a', 'answer', parts)] })
      const pruned = prune(some, 25_000, blockChars)
      expect(pruned.fits).toBe(true)
      expect(blockChars(pruned.turn)).toBeLessThanOrEqual(25_000)
      expect(texts(pruned.turn)).toEqual([['question'], ['answer']])
    }),
    { numRuns: 30 },
  )
})

const rich = turn(1, {
  messages: [
    user('msg_a', 'question', [
      { id: 'prt_image', messageID: 'msg_a', type: 'file', mime: 'image/png', filename: 'shot.png', url: `data:image/png;base64,${noise(3000)}` },
    ]),
    assistant('msg_b', 'msg_a', 'answer', [
      { id: 'prt_think', messageID: 'msg_b', type: 'reasoning', text: noise(2000), time: { start: 1 }, metadata: { openai: { itemId: 'rs_1' } } },
      tool('prt_old', 'msg_b', noise(1500), { metadata: { openai: { itemId: 'fc_1' }, providerExecuted: true } }),
      tool('prt_big', 'msg_b', noise(9000)),
      tool('prt_new', 'msg_b', noise(1500)),
      tool('prt_write', 'msg_b', 'written', { input: { filePath: 'a.ts', content: noise(4000) } }),
    ]),
  ],
})

test('tool outputs go first, the biggest before others and the older before the newer, and are marked for the placeholder', () => {
  const one = prune(rich, jsonChars(rich) - 5000, jsonChars)
  expect(one).toMatchObject({ fits: true, left: ['1 tool output'], turn: { lossy: true } })
  expect(stateOf(one.turn, 'prt_big')).toMatchObject({ state: { status: 'completed', output: '', time: { start: 1, end: 7, compacted: 7 } } })
  const two = prune(rich, jsonChars(rich) - 9500, jsonChars)
  expect(two.left).toEqual(['2 tool outputs'])
  expect(stateOf(two.turn, 'prt_old')).toMatchObject({ state: { output: '' } })
  expect(stateOf(two.turn, 'prt_new')).toMatchObject({ state: { output: noise(1500) } })
})

test('then files, then reasoning with the metadata that refers to it, then long tool inputs', () => {
  const files = prune(rich, jsonChars(rich) - 13_000, jsonChars)
  expect(files.left).toEqual(['3 tool outputs', '1 attached file'])
  expect(files.turn.messages[0]?.parts[1]).toMatchObject({
    id: 'prt_image',
    type: 'text',
    synthetic: true,
    text: expect.stringContaining('shot.png (image/png)'),
  })

  const reasoning = prune(rich, jsonChars(rich) - 16_000, jsonChars)
  expect(reasoning.left).toEqual(['3 tool outputs', '1 attached file', 'the reasoning of 1 message'])
  expect(reasoning.turn.messages[1]?.parts.map(({ type }) => type)).not.toContain('reasoning')
  expect(stateOf(reasoning.turn, 'prt_old')).toMatchObject({ metadata: { providerExecuted: true } })
  expect(stateOf(reasoning.turn, 'prt_old')).not.toHaveProperty('metadata.openai')

  const all = prune(rich, 0, jsonChars)
  expect(all).toMatchObject({ fits: false, left: ['3 tool outputs', '1 attached file', 'the reasoning of 1 message', 'parts of 1 tool input'] })
  expect(stateOf(all.turn, 'prt_write')).toMatchObject({
    state: { input: { filePath: 'a.ts', content: `${noise(4000).slice(0, 200)}… [3800 characters left out]` }, output: 'written' },
  })
  expect(texts(all.turn)).toEqual([['question'], ['answer']])
})

test('what no model reads goes before everything else: details of tool calls and outputs that the engine has compacted already', () => {
  const parts = [tool('prt_t', 'msg_b', noise(1000), { details: { diff: noise(500) } }), tool('prt_c', 'msg_b', noise(300), { compacted: 99 })]
  const some = turn(1, { messages: [user('msg_a', 'question'), assistant('msg_b', 'msg_a', 'answer', parts)] })
  const pruned = prune(some, jsonChars(some) - 700, jsonChars)
  expect(pruned.left).toEqual(['the details of 2 tool calls'])
  expect(stateOf(pruned.turn, 'prt_t')).toMatchObject({ state: { output: noise(1000), metadata: {} } })
  expect(stateOf(pruned.turn, 'prt_c')).toMatchObject({ state: { output: '', time: { compacted: 99 } } })
})

test('what a summary stands for goes before anything the next request repeats, however small it is', () => {
  const answers = Array.from({ length: 6 }, (_, index) =>
    assistant(`msg_${index}`, 'msg_a', 'reads on', [tool(`prt_t${index}`, `msg_${index}`, noise(index === 5 ? 20_000 : 4_000, index + 1))]),
  )
  const asked: Part = { id: 'prt_c', messageID: 'msg_c', type: 'compaction', auto: true, tailStart: 'msg_5' }
  const request: WithParts = { ...user('msg_c', ''), parts: [asked] }
  const summary = assistant('msg_s', 'msg_c', 'The summary')
  const kept = (summarised: boolean, tail: Partial<typeof asked> = {}) => {
    const info = { ...summary.info, summary: summarised }
    const messages = [user('msg_a', 'question'), ...answers, { ...request, parts: [{ ...asked, ...tail }] }, { ...summary, info }]
    const { turn: left } = prune(turn(1, { messages }), 30_000, blockChars)
    return left.messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool' && 'output' in part.state ? [part.state.output.length] : [])))
  }
  expect(kept(true).at(-1)).toBe(20_000)
  expect(kept(true).slice(0, 5)).toContain(0)
  // Without a summary, or with all of the turn kept beside it, the biggest goes first.
  expect(kept(false).at(-1)).toBe(0)
  expect(kept(true, { tailStart: 'msg_of_an_earlier_turn' }).at(-1)).toBe(0)
})
