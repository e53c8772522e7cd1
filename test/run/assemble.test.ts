import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import type { Config } from '../../src/config/types.ts'
import { builtin } from '../../src/model/catalogue.ts'
import { beforeOf } from '../../src/run/account.ts'
import { assemble } from '../../src/run/assemble.ts'
import type { Knowledge } from '../../src/run/knowledge.ts'
import type { Scene } from '../../src/run/scene.ts'
import { refOf } from '../../src/session/fallback.ts'
import { loadThread } from '../../src/thread/load.ts'
import { fromConfig } from '../../src/tool/permission.ts'
import { everything } from '../mcp/kit.ts'
import { fakeWorkspace } from '../publish/fake.ts'
import { choiceAt } from '../support/ask.ts'
import { gone, never, tempFolder } from '../support/closing.ts'
import { text as says, sseModel } from '../support/sse-model.ts'
import { fakeTree } from '../support/tree.ts'
import { session } from '../thread/turns.ts'
import { jobWith, secret, triggerOf } from './job.ts'

const noInstructions = { blocks: [], notes: [], loaded: new Map(), nearby: async () => [] }

/** What a run knows from a configuration that the job gives. */
async function knowledgeOf(config: object): Promise<Knowledge> {
  const { job } = jobWith()
  const tree = fakeTree({})
  const read: Config = await loadConfig({ tree, directory: '', env: {}, inline: JSON.stringify(config), texts: job.world.texts })
  const agent = { name: 'build' }
  const models = { choice: job.choice, fallbacks: [] }
  return {
    tree,
    config: read,
    models,
    providers: builtin,
    outputs: tempFolder(),
    instructions: noInstructions,
    agents: [agent],
    agent,
    gate: fromConfig({ '*': 'allow', ...read.limits }),
    isDenied: () => false,
  }
}

/** A run without a thread. */
const scene: Scene = {
  viewer: { login: 'github-actions[bot]', id: 1 },
  defaultBranch: 'main',
  discussion: undefined,
  watch: undefined,
  thread: loadThread([], { viewer: 'github-actions[bot]', mode: 'new', key: undefined, remarks: undefined }),
  key: undefined,
  past: { session: undefined, messages: [], before: beforeOf([], undefined), seq: 1, work: undefined },
  review: undefined,
}

function parts(knowledge: Knowledge, job = jobWith().job) {
  const root = tempFolder()
  const checkout = { workspace: { ...fakeWorkspace(), root }, branch: 'main', start: { commit: knowledge.tree.commit, tree: 't' } }
  const inbox = { poll: () => Promise.resolve([]) }
  const listen = () => undefined
  return { job, scene, inbox, listen, checkout, knowledge, session: session({ model: refOf(job.choice) }), history: [], signal: never }
}

test('C70 a run that cannot be put together leaves no server behind', async () => {
  const note = join(tempFolder(), 'pid')
  const command = ['bash', '-c', `echo $$ > ${note}; exec ${everything.map((word) => `'${word}'`).join(' ')} stdio`]
  const knowledge = await knowledgeOf({ mcp: { every: { type: 'local', command } } })
  const tree = { ...knowledge.tree, list: () => Promise.reject(new Error('the commit is damaged')) }
  await expect(assemble(parts({ ...knowledge, tree }))).rejects.toThrow('the commit is damaged')
  await gone(Number(readFileSync(note, 'utf8')))
})

/** What the model reads when a command with a shell insert is called. */
async function told(config: object): Promise<string> {
  await using model = await sseModel()
  model.queue(says('Done.'))
  const { job } = jobWith({
    choice: { ...choiceAt('', 'openai-compatible'), baseUrl: model.url },
    trigger: triggerOf({ type: 'command', name: 'look', arguments: '' }),
  })
  const assembly = await assemble(parts(await knowledgeOf({ command: { look: { template: `It says !\`echo ${secret}\`` } }, ...config }), job))
  await assembly.engine.command({ name: 'look', arguments: '' })
  await assembly.close()
  return model.requests.map(({ text }) => text).join('\n')
}

test('what the shell inserts of a command print reaches the model without secrets', async () => {
  const text = await told({})
  expect(text).toContain('It says [redacted]')
  expect(text).not.toContain(secret)
})

test('shell inserts are not run where the job itself forbids bash', async () => {
  expect(await told({ permission: { bash: 'deny' } })).toContain('It says (could not be run: This run may not use bash.')
})
