import type { z } from 'zod'
import type { Attachment } from '../session/message.ts'
import type { PermissionNeed, Rules } from './permission.ts'

/** What a tool may know about the call it serves. */
export interface ToolContext {
  readonly sessionID: string
  readonly messageID: string
  readonly callID: string
  readonly agent: string
  readonly signal: AbortSignal
  /** Shows progress of a running call: a title and details for people, not for the model. */
  metadata(update: { title?: string; metadata?: Record<string, unknown> }): void
  /** For tools that find out what they need while they work. Throws `PermissionDenied` when the rules do not allow it; missing where nothing is allowed to be asked. */
  ask?(need: PermissionNeed): void
}

export interface ToolResult {
  /** One line for people. */
  readonly title: string
  /** What the model reads. */
  readonly output: string
  readonly metadata: Record<string, unknown>
  readonly attachments?: readonly Attachment[]
}

/** A tool as the engine sees it. `execute` gets validated input; what it throws reaches the model as the error's message. */
export interface Tool {
  readonly id: string
  readonly description: string
  readonly parameters: z.ZodObject
  /** JSON schema that the model is shown in place of the one of `parameters`. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** Whether a model is offered it, by the model's id; without it, every model is. */
  suits?(modelID: string): boolean
  /** What a call with this input needs to be allowed; without it, the tool's own permission for `*`. The rules tell what is worth finding out. What it throws ends the call. */
  permission?(input: unknown, rules: Rules): readonly PermissionNeed[] | Promise<readonly PermissionNeed[]>
  execute(input: unknown, context: ToolContext): Promise<ToolResult>
}
