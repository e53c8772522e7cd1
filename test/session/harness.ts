import { join } from 'node:path'
import { z } from 'zod'
import { textsOf } from '../../src/prompt/texts.ts'
import { createEngine, type EngineOptions } from '../../src/session/engine.ts'
import { noTokens, type Part, type Session, type ToolPart, type WithParts } from '../../src/session/message.ts'
import type { Incoming, SessionEvent } from '../../src/session/ports.ts'
import type { Clock } from '../../src/session/record.ts'
import { memoryStore } from '../../src/session/store.ts'
import type { Tool, ToolContext, ToolResult } from '../../src/tool/tool.ts'
import type { SseModel } from '../support/sse-model.ts'

export const texts = textsOf(join(import.meta.dirname, '../../prompts'))

export const session: Session = {
  id: 'ses_test',
  title: 'Test',
  agent: 'build',
  model: { providerID: 'test', modelID: 'test-model' },
  created: Date.UTC(2026, 8, 15, 23, 30),
  todos: [],
  handled: [],
  usage: { steps: 0, tokens: noTokens, cost: 0 },
}

/** A clock on which waiting takes no time; what was waited for is noted. */
export function fakeClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = []
  let now = session.created
  return {
    waits,
    now: () => ++now,
    async sleep(ms, signal) {
      if (signal.aborted) return
      waits.push(ms)
      now += ms
    },
  }
}

/** A tool with one optional argument `path` that notes its inputs. */
export function tool(
  id: string,
  execute: (input: { path?: string | undefined }, context: ToolContext) => Promise<ToolResult> | ToolResult = ({ path }) => result(`content of ${path}`),
) {
  const parameters = z.object({ path: z.string().optional(), a: z.number().optional() })
  const inputs: unknown[] = []
  const made: Tool = {
    id,
    description: `The tool ${id}`,
    parameters,
    async execute(input, context) {
      inputs.push(input)
      return execute(parameters.parse(input), context)
    },
  }
  return { ...made, inputs }
}

export const result = (output: string, rest: Partial<ToolResult> = {}): ToolResult => ({ title: 'done', output, metadata: {}, ...rest })

export interface Setup extends Partial<Omit<EngineOptions, 'store'>> {
  readonly history?: readonly WithParts[]
  /** The session as it begins. */
  readonly begun?: Session
}

/** An engine on the scripted model, with everything a test may want to look at. */
export function setup(server: Pick<SseModel, 'model'>, { history = [], begun = session, ...options }: Setup = {}) {
  const store = memoryStore(begun, history)
  const events: SessionEvent[] = []
  const clock = fakeClock()
  const arriving: Incoming[] = []
  const engine = createEngine({
    store,
    inbox: { poll: async () => arriving.splice(0) },
    sink: (event) => void events.push(event),
    model: server.model(),
    tools: [tool('read')],
    agent: { name: 'build' },
    system: [],
    environment: { directory: '/repo', isGit: true, platform: 'linux' },
    texts,
    maxSteps: 50,
    signal: new AbortController().signal,
    clock,
    ...options,
  })
  return { engine, store, events, clock, arriving, ask: (text = 'please fix it') => engine.prompt({ parts: [{ type: 'text', text }] }) }
}

export const incoming = (text: string, author = 'alice'): Incoming => ({ text, source: { kind: 'comment', id: 7, author, url: 'https://github.test/c/7' } })

export const textOf = ({ parts }: WithParts): string => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')

export const toolsOf = (messages: readonly WithParts[]): ToolPart[] =>
  messages.flatMap(({ parts }) => parts.filter((part): part is ToolPart => part.type === 'tool'))

export const assistantsOf = (messages: readonly WithParts[]) => messages.flatMap(({ info }) => (info.role === 'assistant' ? [info] : []))

export const errorOf = ({ info }: WithParts) => (info.role === 'assistant' ? info.error : undefined)

export const partTypes = (parts: readonly Part[]) => parts.map(({ type }) => type)
