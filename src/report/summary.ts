import { limits } from '../limits.ts'
import type { WithParts } from '../session/message.ts'
import { cut } from '../text.ts'
import { formatCost, formatTokens, inputTokens, outputTokens, type Usage } from './figures.ts'
import { cutMarkdown } from './markdown.ts'

export interface SummaryFacts {
  readonly conclusion: string
  readonly reason: string
  readonly model?: string
  readonly usage?: Usage
  readonly messages?: readonly WithParts[]
  readonly answer?: string
  readonly published?: string
  readonly files?: readonly { readonly path: string; readonly status: string }[]
  readonly notes?: readonly string[]
  readonly requests?: number
}

/** The job summary as Markdown, well below the size at which GitHub drops it (C134). */
export function summaryOf(facts: SummaryFacts): string {
  const sections = [
    `## opencode: ${facts.conclusion}`,
    facts.reason,
    facts.published ?? '',
    figures(facts),
    section('Changed files', facts.files?.map((file) => `- \`${file.path}\` (${file.status})`).join('\n')),
    section('Worth knowing', facts.notes?.map((note) => `- ${note}`).join('\n')),
    section('Tool calls', toolTable(facts.messages ?? [])),
    section('Answer', facts.answer),
  ]
  const text = sections.filter((part) => part !== '').join('\n\n')
  return `${cutMarkdown(text, limits.summaryBytes, '*The summary was cut here; the transcript has the rest.*')}\n`
}

function section(title: string, body: string | undefined): string {
  return body ? `### ${title}\n\n${body}` : ''
}

function figures({ model, usage, requests }: SummaryFacts): string {
  if (!model || !usage) return ''
  const rows = [
    ['Model', `\`${model}\``],
    ['Steps', String(usage.steps)],
    ['Tokens in', `${formatTokens(inputTokens(usage))} (${formatTokens(usage.tokens.cache.read)} from the cache)`],
    ['Tokens out', formatTokens(outputTokens(usage))],
    ['Cost', usage.cost > 0 ? formatCost(usage.cost) : 'unknown'],
    ['GitHub requests', String(requests ?? 0)],
  ]
  return `| | |\n|---|---|\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}`
}

function toolTable(messages: readonly WithParts[]): string {
  const rows = messages
    .flatMap((message) => message.parts)
    .flatMap((part) => {
      if (part.type !== 'tool') return []
      const { state } = part
      const title = 'title' in state ? (state.title ?? '') : state.status === 'error' ? state.error : ''
      const took = state.status === 'completed' || state.status === 'error' ? `${((state.time.end - state.time.start) / 1000).toFixed(1)} s` : ''
      return [`| ${part.tool} | ${cell(title)} | ${state.status} | ${took} |`]
    })
  return rows.length > 0 ? `| tool | what | result | time |\n|---|---|---|---|\n${rows.join('\n')}` : ''
}

function cell(text: string): string {
  const line = text.replaceAll(/[\r\n]+/g, ' ').replaceAll('|', '\\|')
  return line.length > 120 ? `${cut(line, 119)}…` : line
}
