import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createRedactor } from '../../src/report/redact.ts'
import { readWithoutSecrets, within, withNearby } from '../../src/run/wrappers.ts'
import { ascending } from '../../src/session/id.ts'
import { memoryStore } from '../../src/session/store.ts'
import { allowAll, merge } from '../../src/tool/permission.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { never } from '../support/closing.ts'
import { session } from '../thread/turns.ts'
import { secret } from './job.ts'

/** A tool that finds out while it works that it needs more. */
const visitor: Tool = {
  id: 'webfetch',
  description: '',
  parameters: z.object({}),
  permission: () => [{ permission: 'webfetch', patterns: ['https://a.test/'] }],
  async execute(_, { ask }) {
    ask?.({ permission: 'webfetch', patterns: ['https://inside.test/'] })
    return { title: '', output: 'fetched', metadata: {} }
  },
}
const about = { sessionID: 's', messageID: 'm', callID: 'c', agent: 'build', signal: never, metadata: () => undefined }

test('the job’s limits hold for what a tool asks for while it works, such as a redirect', async () => {
  const ask = vi.fn()
  const gate = merge(allowAll, [{ permission: 'webfetch', pattern: 'https://inside.test/*', action: 'deny' }])
  await expect(within(gate)(visitor).execute({}, { ...about, ask })).rejects.toThrow('forbids `webfetch` of `https://inside.test/`')
  expect(await within(allowAll)(visitor).execute({}, { ...about, ask })).toMatchObject({ output: 'fetched' })
  expect(ask).toHaveBeenCalledExactlyOnceWith({ permission: 'webfetch', patterns: ['https://inside.test/'] })
})

test('the text of an MCP resource comes without secrets', async () => {
  const read = readWithoutSecrets(
    async (server, uri) => [
      { uri, text: `${server} knows ${secret}` },
      { uri, blob: 'AAAA' },
    ],
    createRedactor([secret]),
  )
  expect(await read('notes', 'n:1', never)).toEqual([
    { uri: 'n:1', text: 'notes knows [redacted]' },
    { uri: 'n:1', blob: 'AAAA' },
  ])
})

test('instructions that lie near a file are told once a session; a subtask has read nothing of what its parent has', async () => {
  const near = { source: 'src/AGENTS.md', text: 'No dependencies here.' }
  const nearby = async (_: string, loaded: ReadonlySet<string>) => (loaded.has(near.source) ? [] : [near])
  const stores = { parent: memoryStore(session()), child: memoryStore(session()) }
  const storeOf = (id: string) => (id === 'child' ? stores.child : stores.parent)
  const read: Tool = { id: 'read', description: '', parameters: z.object({}), execute: async () => ({ title: '', output: 'a', metadata: { path: 'src/a' } }) }
  const tool = withNearby(read, { blocks: [], notes: [], loaded: new Map(), nearby }, storeOf)
  const seen: boolean[] = []
  for (const sessionID of ['parent', 'parent', 'child', 'child'] as const) {
    const { output, title, metadata } = await tool.execute({}, { ...about, sessionID })
    seen.push(output.includes(near.text))
    const messageID = ascending('msg')
    const { agent, model } = stores[sessionID].session
    stores[sessionID].putMessage({ role: 'user', id: messageID, time: { created: 0 }, agent, model })
    const state = { status: 'completed' as const, input: {}, output, title, metadata: { ...metadata }, time: { start: 0, end: 0 } }
    stores[sessionID].putPart({ type: 'tool', id: ascending('prt'), messageID, callID: messageID, tool: 'read', state })
  }
  expect(seen).toEqual([true, false, true, false])
})
