import { limits } from '../limits.ts'
import type { Session, WithParts } from '../session/message.ts'
import { counted } from '../text.ts'
import { aboutCall, tookCall } from './call.ts'
import { formatCost, formatTime, formatTokens, inputTokens, outputTokens, type Usage } from './figures.ts'
import { codeSpan, cutMarkdown, tableCell } from './markdown.ts'
import type { Redaction } from './redact.ts'
import { type Step, stepsOf } from './steps.ts'

export interface SummaryFacts {
  readonly conclusion: string
  readonly reason: string
  readonly model?: string
  readonly usage?: Usage
  /** Of this run. */
  readonly messages?: readonly WithParts[]
  readonly subtasks?: readonly { readonly session: Pick<Session, 'title' | 'usage' | 'model'>; readonly messages: readonly WithParts[] }[]
  readonly answer?: string
  readonly published?: string
  readonly files?: readonly { readonly path: string; readonly status: string }[]
  /** What the person should know, what was left out above all. */
  readonly notes?: readonly string[]
  readonly redactions?: readonly Redaction[]
  readonly requests?: number
  /** How well the tools were shut in, in words. */
  readonly sandbox?: string
  /** What would have been written, as a section of Markdown, where nothing was. */
  readonly staged?: string
}

/** Rows of a table; the transcript has them all. */
const ROWS = 100

/** The job summary as Markdown, well below the size at which GitHub drops it (C134). */
export function summaryOf(facts: SummaryFacts): string {
  const messages = facts.messages ?? []
  const sections = [
    `## opencode: ${facts.conclusion}`,
    facts.reason,
    facts.published ?? '',
    figures(facts),
    facts.staged ?? '',
    section('Changed files', facts.files?.map((file) => `- ${codeSpan(file.path, 300)} (${file.status})`).join('\n')),
    section('Worth knowing', facts.notes?.map((note) => `- ${note}`).join('\n')),
    section('Taken out as secrets', redactionList(facts.redactions ?? [])),
    section('Steps', stepTable(stepsOf(messages), facts.subtasks ?? [])),
    section('Tool calls', toolTable(messages)),
    section('Answer', facts.answer),
  ]
  const text = sections.filter((part) => part !== '').join('\n\n')
  return `${cutMarkdown(text, limits.summaryBytes, '*The summary was cut here; the transcript has the rest.*')}\n`
}

function section(title: string, body: string | undefined): string {
  return body ? `### ${title}\n\n${body}` : ''
}

function figures({ model, usage, requests, sandbox }: SummaryFacts): string {
  if (!model || !usage) return ''
  const rows = [
    ['Model', codeSpan(model, 200)],
    ['Steps', String(usage.steps)],
    ['Tokens in', `${formatTokens(inputTokens(usage))} (${formatTokens(usage.tokens.cache.read)} from the cache)`],
    ['Tokens out', formatTokens(outputTokens(usage))],
    ['Cost', usage.cost > 0 ? formatCost(usage.cost) : 'unknown'],
    ['GitHub requests', String(requests ?? 0)],
    ...(sandbox ? [['Isolation of the tools', sandbox]] : []),
  ]
  return table(['', ''], rows)
}

/** Different secrets by kind: how often each was met would say little. */
function redactionList(redactions: readonly Redaction[]): string {
  return redactions.map(({ kind, count }) => `- ${kind}: ${counted(count, 'different text')}`).join('\n')
}

function stepTable(steps: readonly Step[], subtasks: NonNullable<SummaryFacts['subtasks']>): string {
  const rows = steps
    .slice(-ROWS)
    .map((step) => [
      String(step.number),
      codeSpan(step.model, 100),
      formatTime(step.end - step.start),
      formatTokens(inputTokens(step)),
      formatTokens(step.tokens.cache.read),
      formatTokens(outputTokens(step)),
      step.cost > 0 ? formatCost(step.cost) : '',
      step.error ? `failed: ${codeSpan(step.error, 100)}` : toolsOf(step),
    ])
  const below = subtasks.map(({ session, messages }) => {
    const own = stepsOf(messages)
    const { usage } = session
    return [
      `subtask ${codeSpan(session.title, 60)}`,
      codeSpan(own.at(-1)?.model ?? '', 100),
      formatTime(own.reduce((sum, { start, end }) => sum + end - start, 0)),
      formatTokens(inputTokens(usage)),
      formatTokens(usage.tokens.cache.read),
      formatTokens(outputTokens(usage)),
      usage.cost > 0 ? formatCost(usage.cost) : '',
      counted(own.length, 'step'),
    ]
  })
  const head = ['step', 'model', 'time', 'tokens in', 'from cache', 'tokens out', 'cost', 'tools']
  return rows.length + below.length > 0 ? `${olderNote(steps.length, 'step')}${table(head, [...rows, ...below])}` : ''
}

/** The tools of a step, each with how often it was called. */
function toolsOf({ calls }: Step): string {
  const counts = new Map<string, number>()
  for (const { tool } of calls) counts.set(tool, (counts.get(tool) ?? 0) + 1)
  return [...counts].map(([tool, count]) => `${codeSpan(tool, 40)}${count > 1 ? ` ×${count}` : ''}`).join(', ')
}

function toolTable(messages: readonly WithParts[]): string {
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool'))
  const rows = calls.slice(-ROWS).map((call) => {
    const took = tookCall(call)
    const what = call.state.status === 'error' ? `${aboutCall(call)} ${call.state.error}` : aboutCall(call)
    return [codeSpan(call.tool, 40), codeSpan(what, 120), call.state.status, took === undefined ? '' : formatTime(took)]
  })
  return rows.length > 0 ? `${olderNote(calls.length, 'call')}${table(['tool', 'what', 'result', 'time'], rows)}` : ''
}

function olderNote(count: number, noun: string): string {
  return count > ROWS ? `The last ${ROWS} of ${counted(count, noun)}; the transcript has them all.\n\n` : ''
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(tableCell).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}
