import type { Session, WithParts } from '../../session/message.ts'
import { counted } from '../../text.ts'
import { formatCost, formatTime, formatTokens, inputTokens, nameOfModel, outputTokens } from '../figures.ts'
import { type Step, stepsOf } from '../steps.ts'
import { escapeHtml, link, moment } from './html.ts'
import { messageHtml } from './message.ts'
import { policy, style } from './style.ts'
import { timeline } from './timeline.ts'

export interface TranscriptSession {
  readonly session: Session
  readonly messages: readonly WithParts[]
}

export interface TranscriptOptions {
  /** Takes secrets out of texts before they become HTML, where they are written in another way. */
  readonly redact: (text: string) => string
  /** The run that wrote the page. */
  readonly runUrl?: string
  /** Bytes of the page at the most. */
  readonly maxBytes?: number
}

/** Bytes of a page; a browser shows it at once and an artifact of it is small. */
const MAX = 5_000_000
/** Characters of one text, tried in turn until the page is small enough. */
const texts = [MAX, 100_000, 20_000, 4_000, 800]

/**
 * A session, and those of its subtasks, as one self-contained HTML page: no script, no request to anywhere, every text escaped. Fits
 * `maxBytes`: long texts are cut in their middle, and where that is not enough the oldest messages are left out; both are said.
 */
export function transcriptPage(sessions: readonly TranscriptSession[], { redact, runUrl, maxBytes = MAX }: TranscriptOptions): string {
  const sections = sessions.map((one, index) => open(one, index, redact))
  const frame = (bodies: readonly string[]) => pageOf(sections, bodies, runUrl)
  const bare = Buffer.byteLength(frame(sections.map(() => '')))
  let rendered: string[][] = []
  for (const max of texts) {
    rendered = sections.map(({ messages }) => messages.map((message) => messageHtml(message, { redact, max })))
    if (bare + sizeOf(rendered.flat()) <= maxBytes) return frame(rendered.map((messages) => messages.join('\n')))
  }
  return frame(newest(rendered, maxBytes - bare - 200 * sections.length))
}

/** The newest messages of each session that fit, the same share for each. */
function newest(rendered: readonly (readonly string[])[], room: number): string[] {
  return rendered.map((messages) => {
    let left = room / rendered.length
    const kept = messages.toReversed().filter((message) => {
      left -= Buffer.byteLength(message)
      return left >= 0
    })
    const note = `<p class="soft">${counted(messages.length - kept.length, 'older message')} left out to keep this page small.</p>`
    return [note, ...kept.toReversed()].join('\n')
  })
}

const sizeOf = (parts: readonly string[]): number => parts.reduce((sum, part) => sum + Buffer.byteLength(part) + 1, 0)

interface Section extends TranscriptSession {
  readonly id: string
  readonly title: string
  readonly steps: readonly Step[]
  /** Everything above the messages. */
  readonly top: string
}

function open({ session, messages }: TranscriptSession, index: number, redact: (text: string) => string): Section {
  const steps = stepsOf(messages)
  const title = redact(session.title || (index === 0 ? 'Session' : 'Subtask'))
  const drawn = timeline(steps, redact, index === 0 ? 'the session' : `subtask ${index}`)
  const top = `${figures({ session, messages }, steps)}${drawn}`
  return { session, messages, id: `s${index}`, title, steps, top }
}

function figures({ session, messages }: TranscriptSession, steps: readonly Step[]): string {
  const { usage } = session
  const rows = [
    ['Model', nameOfModel(session.model)],
    ['Messages', String(messages.length)],
    ['Steps', String(usage.steps)],
    ['Time at work', formatTime(steps.reduce((sum, { start, end }) => sum + end - start, 0))],
    ['Tokens in', formatTokens(inputTokens(usage))],
    ['From the cache', formatTokens(usage.tokens.cache.read)],
    ['Tokens out', formatTokens(outputTokens(usage))],
    ...(usage.cost > 0 ? [['Cost', formatCost(usage.cost)]] : []),
  ]
  return `<dl>${rows.map(([name = '', value = '']) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>`
}

function pageOf(sections: readonly Section[], bodies: readonly string[], runUrl: string | undefined): string {
  const [first] = sections
  const title = escapeHtml(first?.title ?? 'Session')
  const about = first
    ? `Session <code>${escapeHtml(first.session.id)}</code>, begun ${moment(first.session.created)}${runUrl ? `, ${link(runUrl, 'run')}` : ''}`
    : ''
  const contents =
    sections.length > 1
      ? `<nav aria-label="Sessions"><h2>Sessions</h2><ul>${sections.map((section) => `<li><a href="#${section.id}">${escapeHtml(section.title)}</a> <span class="soft">${counted(section.steps.length, 'step')}</span></li>`).join('')}</ul></nav>`
      : ''
  const parts = sections.map((section, index) => {
    const heading = index === 0 ? 'Messages' : `Subtask: ${escapeHtml(section.title)}`
    return `<section id="${section.id}" aria-labelledby="${section.id}-h"><h2 id="${section.id}-h" tabindex="-1">${heading}</h2>${index === 0 ? '' : section.top}${bodies[index] ?? ''}</section>`
  })
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><meta name="robots" content="noindex"><title>${title}</title><style>${style}</style></head>
<body><a class="skip" href="#s0-h">Skip to the messages</a>
<header><h1>${title}</h1><p class="soft">${about}</p>${first?.top ?? ''}</header>
${contents}
<main>${parts.join('\n')}</main>
<footer><p class="soft">Written by opencode-action. Secrets that it knows, and what looks like one, are replaced.</p></footer>
</body></html>
`
}
