import type { Part, ToolPart, WithParts } from '../../session/message.ts'
import { counted } from '../../text.ts'
import { aboutCall, tookCall } from '../call.ts'
import { formatCost, formatTime, formatTokens, inputTokens, nameOfModel, outputTokens } from '../figures.ts'
import { diffHtml, diffOf, isDiff } from './diff.ts'
import { escapeHtml, link, moment } from './html.ts'

/** How a page shows texts: without secrets, and none longer than `max` characters. */
export interface Showing {
  readonly redact: (text: string) => string
  readonly max: number
}

/** One message of a conversation as HTML. */
export function messageHtml({ info, parts }: WithParts, showing: Showing): string {
  const { redact } = showing
  const who =
    info.role === 'user'
      ? userName(info.source, redact)
      : `${info.summary ? 'Summary' : 'Model'} <span class="soft">${escapeHtml(nameOfModel(info.model))}, agent ${escapeHtml(info.agent)}</span>`
  const error = info.role === 'assistant' && info.error ? `<p class="bad">${escapeHtml(redact(`${info.error.name}: ${info.error.message}`))}</p>` : ''
  const foot = info.role === 'assistant' ? footOf(parts, info.time) : ''
  const id = escapeHtml(info.id)
  return `<article class="${info.role}" id="${id}" aria-labelledby="h-${id}"><header><h3 id="h-${id}">${who}</h3>${moment(info.time.created)}</header>${parts.map((part) => partHtml(part, showing)).join('')}${error}${foot}</article>`
}

function userName(source: { author?: string | undefined; url?: string | undefined; kind: string } | undefined, redact: Showing['redact']): string {
  if (!source) return 'User'
  const name = source.author ? `@${source.author}` : `User (${source.kind})`
  return source.url ? link(redact(source.url), redact(name)) : escapeHtml(redact(name))
}

function footOf(parts: readonly Part[], time: { created: number; completed?: number | undefined }): string {
  const finish = parts.findLast((part) => part.type === 'step-finish')
  if (finish?.type !== 'step-finish') return ''
  const figures = [
    `ended with ${finish.reason}`,
    ...(time.completed === undefined ? [] : [formatTime(time.completed - time.created)]),
    `${formatTokens(inputTokens(finish))} tokens in (${formatTokens(finish.tokens.cache.read)} from the cache), ${formatTokens(outputTokens(finish))} out`,
    ...(finish.cost > 0 ? [formatCost(finish.cost)] : []),
  ]
  return `<p class="foot">${escapeHtml(figures.join(' · '))}</p>`
}

function partHtml(part: Part, showing: Showing): string {
  const { redact } = showing
  switch (part.type) {
    case 'text':
      return part.synthetic ? fold('Added by the action', prose(part.text, showing)) : prose(part.text, showing)
    case 'reasoning':
      return part.text.trim() === '' ? '' : fold('Thinking', prose(part.text, showing))
    case 'tool':
      return toolHtml(part, showing)
    case 'file':
      return fileHtml(part, showing)
    case 'subtask':
      return fold(`Subtask for ${part.agent}: ${redact(part.description)}`, prose(part.prompt, showing))
    case 'agent':
      return `<p class="soft">Agent ${escapeHtml(part.name)} was named.</p>`
    case 'compaction':
      return `<p class="soft">The conversation so far is summarised${part.auto ? ', since it became too long' : ''}.</p>`
    case 'retry':
      return `<p class="bad">Attempt ${part.attempt} failed: ${escapeHtml(redact(part.error.message))}</p>`
    default:
      return ''
  }
}

/** Text with its code set apart; everything else of Markdown is shown as it was written. */
function prose(text: string, showing: Showing): string {
  const pieces = shortened(text.trim(), showing).split(/^ {0,3}(?:`{3,}|~{3,}).*$/m)
  return pieces
    .map((piece, index) =>
      piece.trim() === '' ? '' : index % 2 === 1 ? pre(piece.replace(/^\n/, '').trimEnd()) : `<div class="text">${words(piece.trim())}</div>`,
    )
    .join('')
}

/** Escaped text in which `code` is set as code. */
function words(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`\n]+)`/g, '<code>$1</code>')
}

function toolHtml(part: ToolPart, showing: Showing): string {
  const { state } = part
  const took = tookCall(part)
  const about = showing.redact(aboutCall(part))
  const status = state.status === 'completed' ? '' : ` <span class="bad">${state.status === 'error' ? 'failed' : state.status}</span>`
  const summary = `<span class="name">${escapeHtml(showing.redact(part.tool))}</span> <code>${escapeHtml(about.slice(0, 200))}</code>${took === undefined ? '' : ` <span class="took">${formatTime(took)}</span>`}${status}`
  const diff = diffOf(part)
  const input = diff
    ? `<h4>Edit</h4>${diffHtml(shortened(diff.join('\n'), showing).split('\n'))}`
    : `<h4>Input</h4>${pre(shortened(JSON.stringify(state.input, null, 2), showing))}`
  return `<details class="tool"><summary>${summary}</summary>${input}${outputHtml(part, showing)}</details>`
}

function outputHtml({ state }: ToolPart, showing: Showing): string {
  if (state.status === 'error') return `<h4>Error</h4>${pre(shortened(state.error, showing))}`
  if (state.status !== 'completed') return ''
  const files = (state.attachments ?? []).map((file) => fileHtml(file, showing)).join('')
  if (state.time.compacted !== undefined) return '<p class="soft">The output was dropped to save room.</p>'
  const output = shortened(state.output, showing)
  return `<h4>Output</h4>${isDiff(output) ? diffHtml(output.split('\n')) : pre(output)}${files}`
}

/** Pictures that are small enough are shown; of everything else only the name. */
function fileHtml({ mime, url, filename }: { mime: string; url: string; filename?: string | undefined }, { redact, max }: Showing): string {
  const name = escapeHtml(redact(filename ?? mime))
  const isPicture = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/.test(url) && url.length <= max * 2
  return isPicture ? `<p><img src="${url}" alt="${name}"></p>` : `<p class="soft">File: ${name}</p>`
}

function fold(title: string, body: string): string {
  return `<details><summary>${escapeHtml(title)}</summary>${body}</details>`
}

function pre(text: string): string {
  return text === '' ? '<p class="soft">(empty)</p>' : `<pre>${escapeHtml(text)}</pre>`
}

/** A text without secrets and at most `max` characters of it: its beginning and its end, with a note between. */
function shortened(text: string, { redact, max }: Showing): string {
  const safe = redact(text)
  if (safe.length <= max) return safe
  const half = Math.floor(max / 2)
  return `${safe.slice(0, half)}\n… ${counted(safe.length - 2 * half, 'character')} left out to keep this page small …\n${safe.slice(-half)}`
}
