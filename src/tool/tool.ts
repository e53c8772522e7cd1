import type { z } from 'zod'
import type { Attachment } from '../session/message.ts'

/** What a tool may know about the call it serves. */
export interface ToolContext {
  readonly sessionID: string
  readonly messageID: string
  readonly callID: string
  readonly agent: string
  readonly signal: AbortSignal
  /** Shows progress of a running call: a title and details for people, not for the model. */
  metadata(update: { title?: string; metadata?: Record<string, unknown> }): void
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
  execute(input: unknown, context: ToolContext): Promise<ToolResult>
}
