import { z } from 'zod'
import { messageOf } from '../failure.ts'
import type { HookPoints, Hooks } from '../session/hooks.ts'
import { Message, Part, WithParts } from '../session/message.ts'
import type { SessionEvent, Sink } from '../session/ports.ts'
import type { Keeper } from './keep.ts'
import { guards } from './protocol.ts'

const some = z.record(z.string(), z.unknown())

/** What plugins may hand back, by place: it comes from another process, and a plugin can write anything. */
const outputs: { readonly [Name in keyof HookPoints]: z.ZodType<HookPoints[Name]['output']> } = {
  'chat.message': z.object({ message: Message, parts: z.array(Part) }),
  'chat.params': z.object({
    temperature: z.number().exactOptional(),
    topP: z.number().exactOptional(),
    topK: z.number().exactOptional(),
    maxOutputTokens: z.number().exactOptional(),
    options: some,
  }),
  'chat.headers': z.object({ headers: z.record(z.string(), z.string()) }),
  'command.execute.before': z.object({ parts: z.array(z.unknown()) }),
  'tool.definition': z.object({ description: z.string(), parameters: z.unknown() }),
  'tool.execute.before': z.object({ args: z.unknown() }),
  'tool.execute.after': z.object({ title: z.string(), output: z.string(), metadata: some }),
  'shell.env': z.object({ env: z.record(z.string(), z.string()) }),
  'experimental.chat.messages.transform': z.object({ messages: z.array(WithParts) }),
  'experimental.chat.system.transform': z.object({ system: z.array(z.string()) }),
  'experimental.text.complete': z.object({ text: z.string() }),
  'experimental.session.compacting': z.object({ context: z.array(z.string()), prompt: z.string().exactOptional() }),
  'experimental.compaction.autocontinue': z.object({ enabled: z.boolean() }),
}

/** Hooks of OpenCode's plugins that have no place here; `event` has one of its own. */
export function unknownHooks(names: readonly string[]): string[] {
  return names.filter((name) => name !== 'event' && !Object.hasOwn(outputs, name))
}

interface HookOptions {
  readonly keeper: Keeper
  /** The hooks that any plugin has; no other place costs anything. */
  readonly names: ReadonlySet<string>
  /** Time for all hooks of one place, in ms. */
  readonly timeout: number
  readonly warn: (text: string) => void
}

/**
 * Runs the plugins' hooks in the child. A hook that throws, hangs, or hands back what does not fit costs a warning and changes nothing; only
 * before a tool is carried out a failure stops the call, since plugins refuse calls by throwing there.
 */
export function pluginHooks({ keeper, names, timeout, warn }: HookOptions): Hooks {
  return {
    async trigger(name, input, output) {
      if (!names.has(name)) return output
      try {
        const { value, problems } = await keeper.run({ order: (id) => ({ type: 'hook', id, name, input, output }), what: `The hook ${name}`, timeout })
        problems.forEach(warn)
        const changed = outputs[name].safeParse(value)
        if (changed.success) return changed.data
        warn(`What plugins made of ${name} does not fit and was left out: ${z.prettifyError(changed.error)}`)
      } catch (error) {
        if (guards.has(name)) throw error
        warn(messageOf(error))
      }
      return output
    },
  }
}

/** Tells plugins what happens in a session, as OpenCode's events. `settled` waits for those who are still busy with it. */
export function eventListener({ keeper, names, timeout, warn }: HookOptions, sessionID: string): { sink: Sink; settled(): Promise<void> } {
  const busy = new Set<Promise<void>>()
  const tell = async (event: unknown) => {
    try {
      const { problems } = await keeper.run({
        order: (id) => ({ type: 'hook', id, name: 'event', input: { event }, output: {} }),
        what: 'The hook event',
        timeout,
      })
      problems.forEach(warn)
    } catch (error) {
      warn(messageOf(error))
    }
  }
  return {
    sink(event) {
      if (!names.has('event')) return
      for (const each of eventsOf(event, sessionID)) {
        const told = tell(each).finally(() => busy.delete(told))
        busy.add(told)
      }
    },
    async settled() {
      await Promise.all(busy)
    },
  }
}

function eventsOf(event: SessionEvent, sessionID: string): readonly { type: string; properties: Readonly<Record<string, unknown>> }[] {
  switch (event.type) {
    case 'message':
      return [{ type: 'message.updated', properties: { info: { ...event.info, sessionID } } }]
    case 'part':
      return [{ type: 'message.part.updated', properties: { part: { ...event.part, sessionID } } }]
    case 'status': {
      const status = { type: 'session.status', properties: { sessionID, status: event.status } }
      return event.status.type === 'idle' ? [status, { type: 'session.idle', properties: { sessionID } }] : [status]
    }
    case 'error':
      return [{ type: 'session.error', properties: { sessionID, error: event.error } }]
    default:
      return []
  }
}
