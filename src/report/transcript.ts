import type { Part, Session, WithParts } from '../session/message.ts'
import { formatCost, formatTokens, inputTokens, outputTokens } from './figures.ts'
import { fenced } from './markdown.ts'

/** The whole session as Markdown for people: every message, tool calls with input and output, figures per step. */
export function transcriptOf(session: Session, messages: readonly WithParts[]): string {
  const head = `# ${session.title || session.id}\n\nSession \`${session.id}\`, model \`${session.model.providerID}/${session.model.modelID}\`.`
  return `${[head, ...messages.map(messageText)].join('\n\n')}\n`
}

function messageText({ info, parts }: WithParts): string {
  const who = info.role === 'user' ? `User${info.source?.author ? ` (@${info.source.author})` : ''}` : `Assistant (${info.agent})`
  const error = info.role === 'assistant' && info.error ? [`**${info.error.name}**: ${info.error.message}`] : []
  return [`## ${who}, ${new Date(info.time.created).toISOString()}`, ...parts.map(partText).filter((text) => text !== ''), ...error].join('\n\n')
}

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.synthetic ? details('Added by the action', part.text) : part.text
    case 'reasoning':
      return part.text.trim() ? details('Thinking', part.text) : ''
    case 'tool':
      return toolText(part)
    case 'file':
      return `File: ${part.filename ?? part.mime}`
    case 'step-finish': {
      const usage = { steps: 1, tokens: part.tokens, cost: part.cost }
      return `<sub>step ended: ${part.reason}, ${formatTokens(inputTokens(usage))} in, ${formatTokens(outputTokens(usage))} out, ${formatCost(part.cost)}</sub>`
    }
    case 'retry':
      return `Retry ${part.attempt}: ${part.error.message}`
    default:
      return ''
  }
}

function toolText({ tool, state }: Extract<Part, { type: 'tool' }>): string {
  const body = [fenced('json', JSON.stringify(state.input, null, 2))]
  if (state.status === 'completed') body.push(state.time.compacted ? 'The output was dropped to save room.' : fenced('', state.output))
  if (state.status === 'error') body.push(fenced('', state.error))
  return details(`${tool}: ${state.status}${'title' in state && state.title ? `, ${state.title}` : ''}`, body.join('\n\n'))
}

function details(title: string, body: string): string {
  return `<details><summary>${title.replaceAll('<', '&lt;')}</summary>\n\n${body}\n\n</details>`
}
