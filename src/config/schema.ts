import { z } from 'zod'
import { AgentConfig } from '../session/agent-config.ts'
import { PermissionConfig } from '../tool/permission.ts'

/**
 * The form of `opencode.json` (the engine's description 4.4, 4.6), which `docs/config.schema.json` is made from. Descriptions are for people who
 * write one. Objects that are loose hand unknown keys on; everywhere else an unknown key is warned of and dropped.
 */

const count = z.int().nonnegative()
const strings = z.array(z.string())
const model = z.string().regex(/^[^/\s]+\/\S+$/, 'must have the form provider/model')

export const AgentEntry = AgentConfig.extend({
  model: model.optional().describe('Model of this agent, as provider/model.'),
  prompt: z.string().optional().describe('Replaces the system prompt.'),
  mode: z.enum(['primary', 'subagent', 'all']).optional().describe('Whether it leads a session, serves subtasks, or both (all).'),
  steps: z.int().positive().optional().describe('Model calls of one run at the most.'),
})
export type AgentEntry = z.infer<typeof AgentEntry>

export const CommandEntry = z.object({
  template: z.string().describe('The text, with $1, $2, … and $ARGUMENTS, !`shell inserts` and @paths.'),
  description: z.string().optional(),
  agent: z.string().optional().describe('Agent that carries it out.'),
  model: model.optional(),
  variant: z.string().optional(),
  subtask: z.boolean().optional().describe('Run it as a subtask; by default where its agent is a subagent.'),
})
export type CommandEntry = z.infer<typeof CommandEntry>

const limit = z.looseObject({ context: count.optional(), input: count.optional(), output: count.optional() })

const ModelEntry = z.looseObject({
  id: z.string().optional().describe('What the provider calls the model, if not by the name it is listed under.'),
  name: z.string().optional(),
  family: z.string().optional(),
  reasoning: z.boolean().optional(),
  tool_call: z.boolean().optional(),
  temperature: z.boolean().optional(),
  attachment: z.boolean().optional(),
  interleaved: z.union([z.boolean(), z.looseObject({ field: z.string() })]).optional(),
  limit: limit.optional(),
  cost: z
    .looseObject({ input: z.number().optional(), output: z.number().optional(), cache_read: z.number().optional(), cache_write: z.number().optional() })
    .optional(),
  modalities: z.looseObject({ input: strings.optional(), output: strings.optional() }).optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  variants: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  provider: z.looseObject({ npm: z.string().optional(), api: z.string().optional() }).optional(),
})

export const ProviderEntry = z.looseObject({
  npm: z.string().optional().describe('AI SDK package that speaks its protocol.'),
  api: z.string().optional().describe('Address of its API.'),
  name: z.string().optional(),
  env: strings.optional().describe('Environment variables that may hold the key.'),
  whitelist: strings.optional(),
  blacklist: strings.optional(),
  options: z
    .looseObject({
      apiKey: z.string().optional(),
      baseURL: z.string().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      timeout: z.union([z.int().positive(), z.literal(false)]).optional(),
      headerTimeout: z.union([z.int().positive(), z.literal(false)]).optional(),
      chunkTimeout: z.union([z.int().positive(), z.literal(false)]).optional(),
      setCacheKey: z.boolean().optional(),
    })
    .optional(),
  models: z.record(z.string(), ModelEntry).optional(),
})
export type ProviderEntry = z.infer<typeof ProviderEntry>

const every = { enabled: z.boolean().optional(), timeout: z.int().positive().optional().describe('In ms.') }

const LocalServer = z.object({
  type: z.literal('local'),
  command: strings.min(1, 'must name a program').describe('Program and arguments.'),
  cwd: z.string().optional(),
  environment: z.record(z.string(), z.string()).optional(),
  ...every,
})
const RemoteServer = z.object({
  type: z.literal('remote'),
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  headers: z.record(z.string(), z.string()).optional(),
  oauth: z.union([z.record(z.string(), z.unknown()), z.literal(false)]).optional(),
  ...every,
})
export const McpServer = z.discriminatedUnion('type', [LocalServer, RemoteServer])
export type McpServer = z.infer<typeof McpServer>
/** Switches a server on or off that another file describes. */
const McpSwitch = z.object({ enabled: z.boolean() })
const McpEntry = z.union([McpServer, McpSwitch])

/** Keys that matter where somebody sits in front of it, and to nothing here. */
const ignored = z.unknown().optional()
const elsewhere = {
  share: ignored,
  autoshare: ignored,
  autoupdate: ignored,
  formatter: ignored,
  lsp: ignored,
  snapshot: ignored,
  username: ignored,
  shell: ignored,
  theme: ignored,
  keybinds: ignored,
  tui: ignored,
  server: ignored,
  layout: ignored,
  logLevel: ignored,
  watcher: ignored,
  enterprise: ignored,
  references: ignored,
}
export const meaningless: readonly string[] = Object.keys(elsewhere)

/** Everything, nothing, or what fits one of the patterns. */
const allowed = (what: string) => z.union([z.boolean(), strings]).describe(what)

export const ConfigForm = z.object({
  $schema: z.string().optional(),
  model: model.optional().describe('Model to use, as provider/model. The input `model` of the action goes first.'),
  small_model: model.optional().describe('Model for titles and summaries, as provider/model.'),
  default_agent: z.string().optional().describe('Agent that leads a session when the input `agent` names none.'),
  subagent_depth: count.optional().describe('How deep subtasks may start subtasks.'),
  agent: z.record(z.string(), AgentEntry).optional().describe('Agents by name; those of the engine can be changed.'),
  mode: z.record(z.string(), AgentEntry).optional().describe('The older name for agents that lead a session.'),
  command: z.record(z.string(), CommandEntry).optional().describe('Commands by name, called as /name in a comment.'),
  provider: z.record(z.string(), ProviderEntry).optional().describe('Model providers by name.'),
  disabled_providers: strings.optional(),
  enabled_providers: strings.optional().describe('When given, no other provider is used.'),
  mcp: z.record(z.string(), McpEntry).optional().describe('MCP servers by name.'),
  instructions: strings.optional().describe('Further instruction files, as paths or patterns from the working directory upwards, or http(s) addresses.'),
  plugin: z
    .array(z.union([z.string(), z.tuple([z.string(), z.record(z.string(), z.unknown())])]))
    .optional()
    .describe('Plugins: package names, or paths that begin with ./'),
  permission: PermissionConfig.optional().describe('What tools may do: allow, ask or deny; the last rule that fits decides. Asking is denying here.'),
  permissions: z.never('belongs to another format of this file: write the rules as `permission`').optional(),
  tools: z.record(z.string(), z.boolean()).optional().describe('The older form of `permission`.'),
  attachment: z
    .object({
      image: z
        .object({ auto_resize: z.boolean(), max_width: z.int().positive(), max_height: z.int().positive(), max_base64_bytes: z.int().positive() })
        .partial()
        .optional(),
    })
    .optional(),
  tool_output: z.object({ max_lines: z.int().positive(), max_bytes: z.int().positive() }).partial().optional(),
  compaction: z
    .object({ auto: z.boolean(), prune: z.boolean(), tail_turns: count, preserve_recent_tokens: count, reserved: count })
    .partial()
    .optional()
    .describe('How a conversation that gets too long is shortened.'),
  experimental: z
    .looseObject({
      continue_loop_on_deny: z.boolean(),
      primary_tools: strings,
      mcp_timeout: z.int().positive(),
      max_steps_role: z.enum(['user', 'assistant']),
    })
    .partial()
    .optional(),
  skills: z.object({ paths: strings, urls: strings }).partial().optional().describe('Further folders with skills.'),
  github: z
    .object({
      triage: z
        .object({
          labels: allowed('Labels that may be set and taken away, of those the repository has; * stands for any text. By default all.'),
          assign: allowed('Accounts that may be assigned. By default none.'),
          close: z.boolean().describe('Whether the issue or pull request may be closed. By default it may not.'),
        })
        .partial()
        .optional(),
    })
    .optional()
    .describe('What may be done on GitHub itself, to the issue or pull request a run is about.'),
  ...elsewhere,
})
export type ConfigForm = z.infer<typeof ConfigForm>
