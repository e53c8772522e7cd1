import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WithParts } from '../../src/session/message.ts'
import type { CompactionSettings } from '../../src/session/overflow.ts'
import { type SseModel, sseModel, text } from '../support/sse-model.ts'
import { answered, asked, called, contents } from './compacting.ts'
import { setup, toolsOf } from './harness.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
  server.otherwise(text('Done'))
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

/** One turn for each list of outputs, given by their length in characters. */
const turns = (...outputs: (number | ReturnType<typeof called>)[][]): WithParts[] =>
  outputs.flatMap((list, index) => {
    const parts = list.map((one) => (typeof one === 'number' ? called('p'.repeat(one)) : one))
    return [asked(`msg_${index}a`, `request ${index}`), answered(`msg_${index}b`, `msg_${index}a`, [...parts, `answer ${index}`])]
  })

/** Runs one more turn; which calls' outputs are cleared afterwards. */
async function cleared(history: readonly WithParts[], compaction: CompactionSettings = { prune: true }): Promise<boolean[]> {
  const { ask, store } = setup(server, {
    history,
    model: server.model({ limit: { context: 1_000_000, output: 1_000 } }),
    compaction,
  })
  await ask()
  return toolsOf(store.messages()).map(({ state }) => state.status === 'completed' && state.time.compacted !== undefined)
}

describe('old tool output', () => {
  test('is cleared after a run: the newest 40,000 tokens and the last two turns stay', async () => {
    expect(await cleared(turns([200_000], [100_000, 80_000], [200_000]))).toEqual([true, true, false, false])
  })

  test('reads as a placeholder from the next request on', async () => {
    const { ask } = setup(server, {
      history: turns([200_000], [200_000], []),
      model: server.model({ limit: { context: 1_000_000, output: 1_000 } }),
      compaction: { prune: true },
    })
    await ask()
    await ask()
    const outputs = (index: number) => contents(server.requests[index]?.body ?? { messages: [] }).filter((content) => content.startsWith('tool: '))
    expect(outputs(0).map((content) => content.length)).toEqual([200_006, 200_006])
    expect(outputs(1)[0]).toContain('cleared')
  })

  test('stays by default', async () => {
    expect(await cleared(turns([200_000], [200_000], []), {})).toEqual([false, false])
  })

  test('stays when less than 20,000 tokens would be gained', async () => {
    expect(await cleared(turns([79_000], [160_000], []))).toEqual([false, false])
    expect(await cleared(turns([81_000], [160_000], []))).toEqual([true, false])
  })

  test('of skills stays', async () => {
    expect(await cleared(turns([called('p'.repeat(400_000), 'skill')], [200_000], [200_000], []))).toEqual([false, true, true])
  })

  test('before a summary, or before what was cleared earlier, is not looked at again', async () => {
    const summarised = [...turns([400_000]), asked('msg_c', { type: 'compaction', auto: true }), answered('msg_s', 'msg_c', ['SUMMARY'], { summary: true })]
    expect(await cleared([...summarised, ...turns([100_000], []).map(renamed)])).toEqual([false, false])

    const before = called('p'.repeat(400_000))
    const done = called('gone')
    const marked =
      done.type === 'tool' && done.state.status === 'completed' ? { ...done, state: { ...done.state, time: { ...done.state.time, compacted: 3 } } } : done
    expect(await cleared(turns([before, marked], [100_000], []))).toEqual([false, true, false])
  })
})

/** The same messages under other ids. */
function renamed({ info, parts }: WithParts): WithParts {
  const named = info.role === 'user' ? { ...info, id: `${info.id}x` } : { ...info, id: `${info.id}x`, parentID: `${info.parentID}x` }
  return { info: named, parts: parts.map((part) => ({ ...part, messageID: named.id })) }
}
