import type { ModelMessage, SystemModelMessage } from 'ai'
import type { CacheMark } from '../model/options.ts'
import { clean } from '../text.ts'

/** A piece of the system text, with the mark up to which it is cached. */
export function systemMessage(text: string, mark: CacheMark | undefined): SystemModelMessage {
  return { role: 'system', content: clean(text), ...(mark ? { providerOptions: mark.options } : {}) }
}

/** Some providers cache only up to marked places: beside the system text the last two messages, so that each step reads what the one before has written. */
export function withCacheMarks(messages: readonly ModelMessage[], mark: CacheMark | undefined): ModelMessage[] {
  if (!mark) return [...messages]
  return messages.map((message, index) => (index < messages.length - 2 ? message : marked(message, mark)))
}

function marked(message: ModelMessage, { on, options }: CacheMark): ModelMessage {
  if (on === 'part' && message.role === 'user') {
    const parts = typeof message.content === 'string' ? [{ type: 'text' as const, text: message.content }] : message.content
    return { ...message, content: lastMarked(parts, options) }
  }
  if (on === 'part' && message.role === 'tool') {
    const results = message.content.filter((part) => part.type === 'tool-result')
    return { ...message, content: lastMarked(results, options) }
  }
  return { ...message, providerOptions: { ...message.providerOptions, ...options } }
}

function lastMarked<T extends { providerOptions?: ModelMessage['providerOptions'] }>(parts: readonly T[], options: CacheMark['options']): T[] {
  return parts.map((part, index) => (index < parts.length - 1 ? part : { ...part, providerOptions: { ...part.providerOptions, ...options } }))
}
