import { z } from 'zod'
import { Rule } from '../tool/permission.ts'

/**
 * The shapes of a conversation: messages and the parts they are made of. They are what the engine works on, what the hidden
 * thread stores and what a transcript shows, so every room that handles a conversation speaks them.
 */

export const ModelRef = z.object({ providerID: z.string().min(1), modelID: z.string().min(1) })
export type ModelRef = z.infer<typeof ModelRef>

/** Token counts of one model answer. `input` excludes what was read from or written to a cache; `output` excludes reasoning. */
export const Tokens = z.object({
  input: z.number().min(0),
  output: z.number().min(0),
  reasoning: z.number().min(0),
  cache: z.object({ read: z.number().min(0), write: z.number().min(0) }),
})
export type Tokens = z.infer<typeof Tokens>

export const noTokens: Tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }

/** The tokens of two answers together. */
export function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    cache: { read: a.cache.read + b.cache.read, write: a.cache.write + b.cache.write },
  }
}

/** Opaque data of a provider that must be sent back unchanged (signatures, item ids). */
const ProviderMetadata = z.record(z.string(), z.record(z.string(), z.unknown()))
export type ProviderMetadata = z.infer<typeof ProviderMetadata>

/** What went wrong with an answer; `name` is one of the engine's error names. */
export const MessageError = z.object({
  name: z.enum([
    'MessageAbortedError',
    'ProviderAuthError',
    'ModelNotFoundError',
    'APIError',
    'ContextOverflowError',
    'ContentFilterError',
    'OutputLengthError',
    'StructuredOutputError',
    'EmptyAnswerError',
    'UnknownError',
  ]),
  message: z.string(),
  statusCode: z.number().optional(),
  /** The provider's or the system's own code for it, such as `insufficient_quota` or `ECONNRESET`. */
  code: z.string().optional(),
  retryable: z.boolean().optional(),
})
export type MessageError = z.infer<typeof MessageError>

/** Where a user message came from on GitHub. */
export const Source = z.object({
  kind: z.enum(['comment', 'issue', 'event']),
  id: z.number().optional(),
  author: z.string().optional(),
  url: z.string().optional(),
})
export type Source = z.infer<typeof Source>

/** The form an answer has to have: text, or JSON that fits a schema, for which the model may try again `retryCount` times. */
export const Format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()), retryCount: z.int().min(0).default(2) }),
])
export type Format = z.infer<typeof Format>

export const User = z.object({
  role: z.literal('user'),
  id: z.string(),
  time: z.object({ created: z.number() }),
  agent: z.string(),
  model: ModelRef,
  variant: z.string().optional(),
  system: z.string().optional(),
  tools: z.record(z.string(), z.boolean()).optional(),
  format: Format.optional(),
  source: Source.optional(),
})
export type User = z.infer<typeof User>

export const Assistant = z.object({
  role: z.literal('assistant'),
  id: z.string(),
  parentID: z.string(),
  time: z.object({ created: z.number(), completed: z.number().optional() }),
  agent: z.string(),
  model: ModelRef,
  finish: z.string().optional(),
  tokens: Tokens,
  cost: z.number(),
  error: MessageError.optional(),
  summary: z.boolean().optional(),
  structured: z.unknown().optional(),
})
export type Assistant = z.infer<typeof Assistant>

export const Message = z.discriminatedUnion('role', [User, Assistant])
export type Message = z.infer<typeof Message>

const Time = z.object({ start: z.number(), end: z.number().optional() })
const base = { id: z.string(), messageID: z.string() }

export const TextPart = z.object({
  ...base,
  type: z.literal('text'),
  text: z.string(),
  /** Written by the harness rather than by a person or a model; sent to the model, not shown as the answer. */
  synthetic: z.boolean().optional(),
  /** Kept for people, never sent to the model. */
  ignored: z.boolean().optional(),
  time: Time.optional(),
  metadata: ProviderMetadata.optional(),
})
export type TextPart = z.infer<typeof TextPart>

export const ReasoningPart = z.object({ ...base, type: z.literal('reasoning'), text: z.string(), time: Time, metadata: ProviderMetadata.optional() })
export type ReasoningPart = z.infer<typeof ReasoningPart>

export const FilePart = z.object({
  ...base,
  type: z.literal('file'),
  mime: z.string(),
  url: z.string(),
  filename: z.string().optional(),
  source: z.object({ path: z.string(), text: z.string().optional() }).optional(),
})
export type FilePart = z.infer<typeof FilePart>

/** A file a tool hands back; the same as a file part that is not yet part of a message. */
export const Attachment = FilePart.omit({ id: true, messageID: true })
export type Attachment = z.infer<typeof Attachment>

const Input = z.record(z.string(), z.unknown())
const Metadata = z.record(z.string(), z.unknown())
export const ToolState = z.discriminatedUnion('status', [
  z.object({ status: z.literal('pending'), input: Input, raw: z.string() }),
  z.object({ status: z.literal('running'), input: Input, title: z.string().optional(), metadata: Metadata.optional(), time: z.object({ start: z.number() }) }),
  z.object({
    status: z.literal('completed'),
    input: Input,
    output: z.string(),
    title: z.string(),
    metadata: Metadata,
    attachments: z.array(Attachment).optional(),
    time: z.object({ start: z.number(), end: z.number(), compacted: z.number().optional() }),
  }),
  z.object({
    status: z.literal('error'),
    input: Input,
    error: z.string(),
    metadata: Metadata.optional(),
    time: z.object({ start: z.number(), end: z.number() }),
  }),
])
export type ToolState = z.infer<typeof ToolState>

export const ToolPart = z.object({
  ...base,
  type: z.literal('tool'),
  callID: z.string(),
  tool: z.string(),
  state: ToolState,
  /** `providerExecuted` lives here too, as the engine's exit test asks for it. */
  metadata: Metadata.optional(),
})
export type ToolPart = z.infer<typeof ToolPart>

export const AgentPart = z.object({ ...base, type: z.literal('agent'), name: z.string() })
export const SubtaskPart = z.object({
  ...base,
  type: z.literal('subtask'),
  agent: z.string(),
  description: z.string(),
  prompt: z.string(),
  command: z.string().optional(),
  model: ModelRef.optional(),
})
export type SubtaskPart = z.infer<typeof SubtaskPart>

export const CompactionPart = z.object({
  ...base,
  type: z.literal('compaction'),
  auto: z.boolean(),
  overflow: z.boolean().optional(),
  tailStart: z.string().optional(),
})
export type CompactionPart = z.infer<typeof CompactionPart>

export const StepStartPart = z.object({ ...base, type: z.literal('step-start') })
export const StepFinishPart = z.object({ ...base, type: z.literal('step-finish'), reason: z.string(), tokens: Tokens, cost: z.number() })
export const PatchPart = z.object({ ...base, type: z.literal('patch'), files: z.array(z.string()) })
export const RetryPart = z.object({ ...base, type: z.literal('retry'), attempt: z.number(), error: MessageError, time: z.object({ created: z.number() }) })

export const Part = z.discriminatedUnion('type', [
  TextPart,
  ReasoningPart,
  FilePart,
  ToolPart,
  AgentPart,
  SubtaskPart,
  CompactionPart,
  StepStartPart,
  StepFinishPart,
  PatchPart,
  RetryPart,
])
export type Part = z.infer<typeof Part>

export const WithParts = z.object({ info: Message, parts: z.array(Part) })
export type WithParts = z.infer<typeof WithParts>

export const Todo = z.object({ content: z.string(), status: z.string(), priority: z.string() })
export type Todo = z.infer<typeof Todo>

/** What a thread remembers besides its messages. */
export const Session = z.object({
  id: z.string(),
  /** The session that started this one for a subtask. */
  parentID: z.string().optional(),
  title: z.string(),
  agent: z.string(),
  model: ModelRef,
  /** Epoch milliseconds; the date the model is told is taken from here, so that the request's prefix never changes. */
  created: z.number(),
  todos: z.array(Todo),
  /** Rules of this session; they come after those of the agent. */
  permission: z.array(Rule).optional(),
  /** Names of recently changed files, computed once for the environment block (DECISIONS 10). */
  recentFiles: z.array(z.string()).optional(),
  /** From here on the session is reverted: from a message, or from a part of it; removed for good at the next prompt. */
  revert: z.object({ messageID: z.string(), partID: z.string().optional() }).optional(),
  branch: z.string().optional(),
  pull: z.number().optional(),
  base: z.string().optional(),
  head: z.string().optional(),
  /**
   * What the model has been told of the thread: the newest comment's id, a digest of title and body, the PR's head, the newest ids of remarks on the
   * diff and of reviews, and a digest of the checks that failed.
   */
  seen: z
    .object({
      comment: z.number(),
      subject: z.string(),
      head: z.string().optional(),
      remark: z.number().optional(),
      review: z.number().optional(),
      checks: z.string().optional(),
    })
    .optional(),
  /** Ids of the comments of the conversation that have been answered. */
  handled: z.array(z.number()),
  /** What else has been answered: `review-comment:1`, `review:2`, `subject:3` (an issue's or pull request's own text). */
  answered: z.array(z.string()).optional(),
  /** What turns have pushed, newest last, so that an undo can take it back: the turn's first message, the branch, and its tip before and after. */
  landings: z.array(z.object({ message: z.string(), branch: z.string(), from: z.string(), to: z.string() })).optional(),
  usage: z.object({ steps: z.number(), tokens: Tokens, cost: z.number() }),
})
export type Session = z.infer<typeof Session>
