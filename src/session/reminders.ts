import type { Texts } from '../prompt/texts.ts'
import type { WithParts } from './message.ts'

/**
 * The history with what the agent has to be reminded of at the end of the newest user message: in plan mode that nothing may be changed,
 * and after it, in the agent `build`, that it is over (the engine's description 2.14). For a request only; nothing of it is stored.
 */
export function withReminders(history: readonly WithParts[], agent: string, texts: Texts): readonly WithParts[] {
  const name = reminderFor(history, agent)
  const at = history.findLastIndex(({ info }) => info.role === 'user')
  const newest = history[at]
  if (name === undefined || !newest) return history
  const part = { id: `${newest.info.id}_${name}`, messageID: newest.info.id, type: 'text' as const, text: texts(`reminders/${name}`), synthetic: true }
  return history.with(at, { ...newest, parts: [...newest.parts, part] })
}

function reminderFor(history: readonly WithParts[], agent: string): 'plan' | 'build-switch' | undefined {
  if (agent === 'plan') return 'plan'
  const planned = history.some(({ info }) => info.role === 'assistant' && info.agent === 'plan')
  return agent === 'build' && planned ? 'build-switch' : undefined
}
