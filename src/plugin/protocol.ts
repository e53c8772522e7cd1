import { z } from 'zod'

/** What the process of a run and the child that holds the repository's plugins and tools say to each other: JSON over Node's IPC channel. */

const Module = z.object({
  /** Absolute, in the private folder. */
  file: z.string(),
  /** What people call it: its path in the repository. */
  shown: z.string(),
  /** What the configuration gives a plugin along. */
  options: z.record(z.string(), z.unknown()).optional(),
})
export type Module = z.infer<typeof Module>

/** Where the modules are and what they are told of the repository. */
export const Load = z.object({
  type: z.literal('load'),
  /** The private folder, and the folder of the checkout it stands for: packages are looked for there. */
  root: z.string(),
  worktree: z.string(),
  directory: z.string(),
  tools: z.array(Module),
  plugins: z.array(Module),
})
export type Load = z.infer<typeof Load>

const Caller = z.object({ sessionID: z.string(), messageID: z.string(), callID: z.string(), agent: z.string() })

/** To the child. Every `call` and `hook` is answered by `done` or `failed`, every `abort` by `aborted`. */
export const Order = z.discriminatedUnion('type', [
  Load,
  z.object({ type: z.literal('call'), id: z.number(), tool: z.string(), input: z.unknown().optional(), caller: Caller }),
  z.object({ type: z.literal('hook'), id: z.number(), name: z.string(), input: z.unknown(), output: z.unknown() }),
  z.object({ type: z.literal('abort'), id: z.number() }),
  /** The answer to `ask`; `refusal` is why not. */
  z.object({ type: z.literal('asked'), ask: z.number(), refusal: z.string().optional() }),
])
export type Order = z.infer<typeof Order>

export const Definition = z.object({ id: z.string(), shown: z.string(), description: z.string(), schema: z.record(z.string(), z.unknown()) })
export type Definition = z.infer<typeof Definition>

/** What the modules turned out to hold; `problems` are those that could not be used. */
export const Loaded = z.object({
  type: z.literal('loaded'),
  tools: z.array(Definition),
  /** Names of the hooks that any plugin has. */
  hooks: z.array(z.string()),
  problems: z.array(z.string()),
})
export type Loaded = z.infer<typeof Loaded>

/** From the child. */
export const Report = z.discriminatedUnion('type', [
  Loaded,
  z.object({ type: z.literal('done'), id: z.number(), value: z.unknown().optional(), problems: z.array(z.string()).optional() }),
  z.object({ type: z.literal('failed'), id: z.number(), message: z.string() }),
  z.object({ type: z.literal('aborted'), id: z.number() }),
  z.object({ type: z.literal('metadata'), id: z.number(), title: z.string().optional(), metadata: z.record(z.string(), z.unknown()).optional() }),
  z.object({ type: z.literal('ask'), id: z.number(), ask: z.number(), permission: z.string(), patterns: z.array(z.string()) }),
  z.object({ type: z.literal('log'), text: z.string() }),
])
export type Report = z.infer<typeof Report>

/** Hooks after whose failure what they guard must not happen: a plugin that throws here refuses the call. */
export const guards: ReadonlySet<string> = new Set(['tool.execute.before'])
