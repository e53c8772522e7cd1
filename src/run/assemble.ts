import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Discussion } from '../github/types.ts'
import { openModel } from '../model/open.ts'
import { listen } from '../report/listen.ts'
import type { Redactor } from '../report/redact.ts'
import { createEngine, type Engine } from '../session/engine.ts'
import { ascending } from '../session/id.ts'
import { noTokens, type Session, type WithParts } from '../session/message.ts'
import type { Inbox, Store } from '../session/ports.ts'
import { memoryStore } from '../session/store.ts'
import { builtinTools } from '../tool/registry.ts'
import type { Tool } from '../tool/tool.ts'
import { confine } from '../workspace/files.ts'
import { openShell, type Shell } from '../workspace/shell.ts'
import { shellEnvironment } from '../workspace/shell-env.ts'
import type { Checkout } from './checkout.ts'
import type { Job } from './job.ts'

/** The engine of a run with everything it works on. */
export interface Assembly {
  readonly engine: Engine
  readonly store: Store
  readonly shell: Shell
}

/** Nobody speaks to a running loop yet but the comment that started it. */
const silence: Inbox = { poll: () => Promise.resolve([]) }

/** Builds the engine over a checkout and a session. Throws `Failure` when the working directory is not in the repository. */
export async function assemble(job: Job, checkout: Checkout, session: Session, history: readonly WithParts[], signal: AbortSignal): Promise<Assembly> {
  const { world, settings, runner, choice } = job
  const outputs = join(runner.temp, 'opencode', 'outputs')
  await mkdir(outputs, { recursive: true })
  const files = confine({ root: checkout.workspace.root, directory: join(checkout.workspace.root, settings.workingDirectory), readable: [outputs] })
  const shell = openShell({ env: shellEnvironment(world.env), folder: outputs })
  const store = memoryStore(session, history)
  const todos = { get: () => store.session.todos, set: (list: Session['todos']) => store.update({ todos: list }) }
  const tools = builtinTools({ files, shell, texts: world.texts, todos, save: outputs })
  const engine = createEngine({
    store,
    inbox: silence,
    sink: listen(world.log),
    model: await openModel(choice),
    tools: tools.map((tool) => withoutSecrets(tool, world.redactor)),
    agent: { name: settings.agent },
    system: systemBlocks(job),
    environment: { directory: files.directory, isGit: true, platform: process.platform },
    texts: world.texts,
    maxSteps: settings.maxSteps,
    signal,
  })
  return { engine, store, shell }
}

/** The session of a thread that has none yet. */
export function newSession(job: Job, discussion: Discussion | undefined, recentFiles: readonly string[]): Session {
  const { settings, choice } = job
  const now = Date.now()
  return {
    id: ascending('ses', now),
    title: discussion?.title ?? '',
    agent: settings.agent,
    model: { providerID: choice.info.providerID, modelID: choice.info.modelID },
    created: now,
    todos: [],
    recentFiles: [...recentFiles],
    handled: [],
    usage: { steps: 0, tokens: noTokens, cost: 0 },
  }
}

function systemBlocks({ world, settings, runner, trigger }: Job): string[] {
  const repository = `${runner.owner}/${runner.repo}`
  const block =
    'subject' in trigger
      ? world.texts('github/system', { repository, kind: trigger.subject.isPull ? 'pull request' : 'issue', number: String(trigger.subject.number) })
      : world.texts('github/system-alone', { repository })
  return settings.system ? [block, settings.system] : [block]
}

/** No secret of ours reaches the model, even when a file or a command shows one. */
function withoutSecrets(tool: Tool, redactor: Redactor): Tool {
  return {
    ...tool,
    async execute(input, context) {
      const result = await tool.execute(input, context)
      return { ...result, title: redactor.redact(result.title), output: redactor.redact(result.output) }
    },
  }
}
