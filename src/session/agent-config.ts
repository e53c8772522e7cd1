import { z } from 'zod'
import { PermissionConfig } from '../tool/permission.ts'

/**
 * An agent as a configuration describes it (opencode.json `agent.NAME`, the front matter of an agent file). Keys that are not named here
 * are the provider's business and become options.
 */
export const AgentConfig = z.looseObject({
  /** `provider/model`. */
  model: z.string().optional(),
  variant: z.string().optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  prompt: z.string().optional(),
  /** The older form of `permission`: tools switched on or off. */
  tools: z.record(z.string(), z.boolean()).optional(),
  disable: z.boolean().optional(),
  description: z.string().optional(),
  mode: z.enum(['primary', 'subagent', 'all']).optional(),
  hidden: z.boolean().optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  color: z.string().optional(),
  steps: z.int().positive().optional(),
  /** The older name of `steps`. */
  maxSteps: z.int().positive().optional(),
  permission: PermissionConfig.optional(),
})
export type AgentConfig = z.infer<typeof AgentConfig>
