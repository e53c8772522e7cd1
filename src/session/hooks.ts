import type { Message, ModelRef, Part, WithParts } from './message.ts'

/**
 * Where a plugin may look at, or change, what the engine does. Names and shapes are those of OpenCode's plugin interface, as far as the seeds
 * and the reference name them. A hook changes its `output` in place.
 */
export interface HookPoints {
  'chat.message': { input: { sessionID: string; agent: string; model: ModelRef; messageID: string }; output: { message: Message; parts: Part[] } }
  'chat.params': {
    input: { sessionID: string; agent: string; model: ModelRef }
    output: { temperature?: number; topP?: number; topK?: number; maxOutputTokens?: number; options: Record<string, unknown> }
  }
  'chat.headers': { input: { sessionID: string; agent: string; model: ModelRef }; output: { headers: Record<string, string> } }
  'command.execute.before': { input: { command: string; sessionID: string; arguments: string }; output: { parts: unknown[] } }
  'tool.definition': { input: { toolID: string }; output: { description: string; parameters: unknown } }
  'tool.execute.before': { input: { tool: string; sessionID: string; callID: string }; output: { args: unknown } }
  'tool.execute.after': {
    input: { tool: string; sessionID: string; callID: string; args: unknown }
    output: { title: string; output: string; metadata: Record<string, unknown> }
  }
  'shell.env': { input: { cwd: string; sessionID?: string; callID?: string }; output: { env: Record<string, string> } }
  'experimental.chat.messages.transform': { input: Record<string, never>; output: { messages: WithParts[] } }
  'experimental.chat.system.transform': { input: { sessionID: string; model: ModelRef }; output: { system: string[] } }
  'experimental.text.complete': { input: { sessionID: string; messageID: string; partID: string }; output: { text: string } }
  'experimental.session.compacting': { input: { sessionID: string }; output: { context: string[]; prompt?: string } }
  'experimental.compaction.autocontinue': { input: { sessionID: string; overflow: boolean }; output: { enabled: boolean } }
}

/** Runs what plugins registered for a place, in order. A hook that throws is the runner's to report; it never stops the engine. */
export interface Hooks {
  trigger<Name extends keyof HookPoints>(name: Name, input: HookPoints[Name]['input'], output: HookPoints[Name]['output']): Promise<HookPoints[Name]['output']>
}

/** No plugins. */
export const noHooks: Hooks = { trigger: (_name, _input, output) => Promise.resolve(output) }
