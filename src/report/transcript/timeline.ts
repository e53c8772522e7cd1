import type { ToolPart } from '../../session/message.ts'
import { counted } from '../../text.ts'
import { aboutCall, tookCall } from '../call.ts'
import { formatCost, formatTime, formatTokens, inputTokens } from '../figures.ts'
import type { Step } from '../steps.ts'
import { escapeHtml } from './html.ts'

/** Sizes in units of the drawing. */
const ROW = 20
const TOP = 22
const LEFT = 34
const TIME = 400
const GAP = 20
const TOKENS = 200
const WIDTH = LEFT + TIME + GAP + TOKENS + 50
/** A pause between two steps, in ms, that is drawn as long as it was; a longer one is drawn as this and marked. */
const PAUSE = 1_000

/** Steps that are drawn, the newest: more would only make the page heavy. */
const DRAWN = 500

type Redact = (text: string) => string

/** The steps as a drawing, one row each (time with the tools in it, then tokens), with the same as a table below. Empty without steps. */
export function timeline(all: readonly Step[], redact: Redact, name: string): string {
  if (all.length === 0) return ''
  const steps = all.slice(-DRAWN)
  const note = all.length > DRAWN ? `<p class="soft">The newest ${DRAWN} of ${all.length} steps are drawn.</p>\n` : ''
  return `${note}<div class="scroll" tabindex="0" role="region" aria-label="Timeline of ${escapeHtml(name)}">${drawing(steps, redact)}</div>
<ul class="key">${key.map(([kind, words]) => `<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" class="${kind}"/></svg>${words}</li>`).join('')}</ul>
<details><summary>The same as a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Table of the steps of ${escapeHtml(name)}">${table(steps, redact)}</div></details>`
}

const key = [
  ['think', 'model'],
  ['call', 'tool'],
  ['failed', 'failed tool'],
  ['cached', 'tokens from the cache'],
  ['fresh', 'tokens in'],
  ['out', 'tokens out'],
  ['reason', 'tokens of thinking'],
] as const

interface Placed {
  readonly step: Step
  /** Ms from the beginning of the drawing. */
  readonly at: number
  /** Ms that were left out before it. */
  readonly skipped: number
}

/** Hours may lie between two turns of a thread: only the work is drawn to scale. */
function placed(steps: readonly Step[]): { rows: readonly Placed[]; total: number } {
  let at = 0
  let before: Step | undefined
  const rows = steps.map((step) => {
    const pause = before ? Math.max(0, step.start - before.end) : 0
    const shown = Math.min(pause, PAUSE)
    at += (before ? before.end - before.start : 0) + shown
    before = step
    return { step, at, skipped: pause - shown }
  })
  return { rows, total: Math.max(1, at + (before ? before.end - before.start : 0)) }
}

function drawing(steps: readonly Step[], redact: Redact): string {
  const { rows, total } = placed(steps)
  const most = Math.max(1, ...steps.map(allTokens))
  const height = TOP + rows.length * ROW + 4
  const tokensAt = LEFT + TIME + GAP
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${counted(steps.length, 'step')} over ${formatTime(total)}">
<text x="${LEFT}" y="14" class="note">time (${formatTime(total)} in all)</text><text x="${tokensAt}" y="14" class="note">tokens (at most ${formatTokens(most)})</text>
${rows.map((row, index) => rowOf(row, TOP + index * ROW, total, most, redact)).join('\n')}
</svg>`
}

function rowOf({ step, at, skipped }: Placed, y: number, total: number, most: number, redact: Redact): string {
  const x = (ms: number) => round(LEFT + (ms / total) * TIME)
  const width = (ms: number) => round(Math.max(1, (ms / total) * TIME))
  // The short ones on top, for calls run side by side.
  const tools = step.calls
    .toSorted((a, b) => (tookCall(b) ?? 0) - (tookCall(a) ?? 0))
    .map((call) => toolBar(call, step, at, y, x, width, redact))
    .join('')
  const waited =
    skipped > 0
      ? `<line x1="${x(at)}" x2="${x(at)}" y1="${y - 2}" y2="${y + ROW}" class="wait"><title>${formatTime(skipped)} before this step are not drawn</title></line>`
      : ''
  return `<g class="step"><rect x="0" y="${y}" width="${WIDTH}" height="${ROW - 2}" class="row"/><text x="4" y="${y + 13}">${step.number}</text>${waited}<rect x="${x(at)}" y="${y + 3}" width="${width(step.end - step.start)}" height="${ROW - 8}" class="think"><title>${escapeHtml(`Step ${step.number}: ${step.model}, ${formatTime(step.end - step.start)}`)}</title></rect>${tools}${tokenBars(step, y, most)}</g>`
}

function toolBar(call: ToolPart, step: Step, at: number, y: number, x: (ms: number) => number, width: (ms: number) => number, redact: Redact): string {
  const took = tookCall(call)
  if (took === undefined || !('time' in call.state)) return ''
  const title = `${call.tool}: ${redact(aboutCall(call)).slice(0, 200)}, ${formatTime(took)}${call.state.status === 'error' ? ', failed' : ''}`
  const from = Math.max(0, call.state.time.start - step.start)
  return `<rect x="${x(at + from)}" y="${y + 5}" width="${width(took)}" height="${ROW - 12}" class="${call.state.status === 'error' ? 'failed' : 'call'}"><title>${escapeHtml(title)}</title></rect>`
}

function tokenBars(step: Step, y: number, most: number): string {
  const { tokens } = step
  const stack = [
    ['cached', tokens.cache.read, 'from the cache'],
    ['fresh', tokens.input + tokens.cache.write, 'in'],
    ['out', tokens.output, 'out'],
    ['reason', tokens.reasoning, 'of thinking'],
  ] as const
  let x = LEFT + TIME + GAP
  const bars = stack.map(([kind, count, words]) => {
    const width = round((count / most) * TOKENS)
    const bar =
      count > 0
        ? `<rect x="${round(x)}" y="${y + 3}" width="${Math.max(0.5, width)}" height="${ROW - 8}" class="${kind}"><title>${formatTokens(count)} tokens ${words}</title></rect>`
        : ''
    x += width
    return bar
  })
  return `${bars.join('')}<text x="${round(x + 4)}" y="${y + 13}" class="note">${formatTokens(allTokens(step))}</text>`
}

function table(steps: readonly Step[], redact: Redact): string {
  const head = ['Step', 'Model', 'Time', 'In', 'From cache', 'Out', 'Thinking', 'Cost', 'Tools']
  const rows = steps.map((step) => {
    const { tokens } = step
    // The short ones on top, for calls run side by side.
    const tools = step.calls
      .toSorted((a, b) => (tookCall(b) ?? 0) - (tookCall(a) ?? 0))
      .map((call) => `${call.tool}${call.state.status === 'error' ? ' (failed)' : ''}`)
      .join(', ')
    const numbers = [
      formatTime(step.end - step.start),
      ...[inputTokens(step), tokens.cache.read, tokens.output, tokens.reasoning].map(formatTokens),
      step.cost > 0 ? formatCost(step.cost) : '',
    ]
    return `<tr><th scope="row"><a href="#${escapeHtml(step.message)}">${step.number}</a></th><td>${escapeHtml(step.model)}</td>${numbers.map((text) => `<td class="n">${escapeHtml(text)}</td>`).join('')}<td>${escapeHtml(redact(tools))}${step.error ? ` <span class="bad">${escapeHtml(redact(step.error))}</span>` : ''}</td></tr>`
  })
  const numeric = new Set(['Time', 'In', 'From cache', 'Out', 'Thinking', 'Cost'])
  return `<table><caption>Every step with its time, tokens, cost in USD and tools</caption><thead><tr>${head.map((text) => `<th scope="col"${numeric.has(text) ? ' class="n"' : ''}>${text}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function allTokens(step: Step): number {
  return inputTokens(step) + step.tokens.output + step.tokens.reasoning
}

const round = (value: number): number => Math.round(value * 10) / 10
