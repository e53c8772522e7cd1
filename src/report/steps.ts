import { type Assistant, addTokens, noTokens, type Tokens, type ToolPart, type WithParts } from '../session/message.ts'
import { nameOfModel } from './figures.ts'

/** One request to the model and what it led to. Times in epoch ms. */
export interface Step {
  /** From 1, within its session. */
  readonly number: number
  readonly message: string
  readonly model: string
  readonly start: number
  readonly end: number
  readonly tokens: Tokens
  /** USD. */
  readonly cost: number
  readonly calls: readonly ToolPart[]
  readonly error: string | undefined
}

/** The steps of a conversation, in order: every answer of the model, compactions and failed ones included. */
export function stepsOf(messages: readonly WithParts[]): readonly Step[] {
  return messages.flatMap(({ info, parts }) => (info.role === 'assistant' && isStep(info, parts) ? [{ info, parts }] : [])).map(stepOf)
}

/** What a person ran with `!`, and a subtask a command began, are kept like answers but no model was asked. */
function isStep({ error, tokens }: Assistant, parts: WithParts['parts']): boolean {
  return error !== undefined || tokens.output > 0 || parts.some(({ type }) => type === 'step-start' || type === 'step-finish')
}

function stepOf({ info, parts }: { info: Assistant; parts: WithParts['parts'] }, index: number): Step {
  const calls = parts.filter((part) => part.type === 'tool')
  const finishes = parts.filter((part) => part.type === 'step-finish')
  const ends = calls.map(({ state }) => ('time' in state ? ('end' in state.time ? state.time.end : state.time.start) : info.time.created))
  return {
    number: index + 1,
    message: info.id,
    model: nameOfModel(info.model),
    start: info.time.created,
    end: Math.max(info.time.created, info.time.completed ?? 0, ...ends),
    tokens: finishes.length > 0 ? finishes.reduce((sum, { tokens }) => addTokens(sum, tokens), noTokens) : info.tokens,
    cost: finishes.length > 0 ? finishes.reduce((sum, { cost }) => sum + cost, 0) : info.cost,
    calls,
    error: info.error && `${info.error.name}: ${info.error.message}`,
  }
}
