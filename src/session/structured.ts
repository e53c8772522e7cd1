import { z } from 'zod'
import type { Texts } from '../prompt/texts.ts'
import { excerpt } from '../text.ts'
import type { Tool } from '../tool/tool.ts'
import type { Format, MessageError, Part } from './message.ts'
import { compileSchema, type JsonSchema } from './schema.ts'

/** Name of the tool through which an answer in a given form is handed in (OpenCode's). */
const NAME = 'StructuredOutput'
/** Characters of the schema's complaints that the model is told. */
const COMPLAINT = 2_000

/** An answer that has to fit a schema. */
export interface Structured {
  readonly tool: Tool
  /** Text for the system prompt. */
  readonly text: string
  /** How often the model may try again. */
  readonly retries: number
  /** The first answer that fitted. */
  readonly captured: { readonly value: unknown } | undefined
}

/**
 * Prepares for an answer in the given form; undefined when text will do. Throws `FormatError` when the schema is none.
 * Calls take an object, so that a schema for anything else is asked for under the key `answer`.
 */
export async function structuredOutput(format: Format | undefined, texts: Texts): Promise<Structured | undefined> {
  if (format?.type !== 'json_schema') return undefined
  const { $schema: _, ...schema } = format.schema
  const check = await compileSchema(format.schema)
  const wrapped = schema.type !== 'object'
  let captured: { value: unknown } | undefined

  const tool: Tool = {
    id: NAME,
    description: texts('tools/structured-output'),
    parameters: z.looseObject({}),
    schema: wrapped ? wrap(schema) : schema,
    // The answer was asked for; no rule is about it.
    permission: () => [],
    async execute(input) {
      const value = wrapped ? z.looseObject({ answer: z.unknown() }).parse(input).answer : input
      const problem = check(value)
      if (problem !== undefined) throw new Error(`The answer does not fit the schema:\n${excerpt(problem, COMPLAINT)}`)
      captured ??= { value }
      return { title: 'Structured answer', output: 'Structured output captured successfully.', metadata: { valid: true } }
    },
  }
  return {
    tool,
    text: texts('structured-output'),
    retries: format.retryCount,
    get captured() {
      return captured
    },
  }
}

/** Definitions stay at the root, where references look for them. */
function wrap({ $defs, definitions, ...schema }: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { answer: schema },
    required: ['answer'],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  }
}

/** Whether an answer tried to hand in its form and failed, or did not try and called nothing else either. */
export function missed(parts: readonly Part[]): boolean {
  const calls = parts.flatMap((part) => (part.type === 'tool' ? [part] : []))
  return calls.length === 0 || calls.some(({ tool, state }) => tool === NAME && state.status === 'error' && state.metadata?.interrupted !== true)
}

/** The error of a run that got no answer in its form. */
export function noStructure(attempts: number, parts: readonly Part[]): MessageError {
  const last = parts.findLast((part) => part.type === 'tool' && part.tool === NAME)
  const why = last?.type === 'tool' && last.state.status === 'error' ? ` ${last.state.error}` : ' It did not hand in any.'
  return { name: 'StructuredOutputError', message: `The model gave no answer that fits the schema (tried ${attempts} times).${why}` }
}
