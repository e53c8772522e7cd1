import type { Todo, ToolPart } from '../session/message.ts'
import { counted } from '../text.ts'
import { aboutCall } from './call.ts'
import { formatCost, formatTime } from './figures.ts'
import { codeSpan, plainWords } from './markdown.ts'
import { workingBody } from './reply.ts'

/** What the working comment shows while the agent works. Texts may come from anybody and hold anything but secrets. */
export interface ProgressState {
  readonly runUrl: string
  /** Since the run began, in ms. */
  readonly elapsed: number
  /** Of this run; absent until the agent begins. */
  readonly usage?: { readonly steps: number; readonly cost: number }
  readonly todos: readonly Todo[]
  /** Calls at work. */
  readonly running: readonly ToolPart[]
  /** Calls that ended, newest last. */
  readonly recent: readonly ToolPart[]
  readonly subtasks: readonly SubtaskState[]
  /** Why nothing moves: the model is asked again after a failure. */
  readonly waiting?: { readonly attempt: number; readonly message: string }
}

/** A subtask at work. */
export interface SubtaskState {
  readonly title: string
  readonly steps: number
  readonly running: readonly ToolPart[]
}

/** Items of the todo list, finished calls and letters of a text that are shown. */
const TODOS = 30
const RECENT = 3
const TITLE = 100

type Redact = (text: string) => string

/**
 * The working comment as Markdown. Every mark in it is ours: what a model or a tool wrote is shown as words and code spans only. `redact`
 * takes the secrets out of these first, since cut or marked up they could not be found any more.
 */
export function progressBody(state: ProgressState, redact: Redact): string {
  const { usage, waiting, todos } = state
  const figures = [
    formatMinutes(state.elapsed),
    ...(usage && usage.steps > 0 ? [counted(usage.steps, 'step')] : []),
    ...(usage && usage.cost > 0 ? [formatCost(usage.cost)] : []),
  ]
  const now = state.running.map((call) => `- Now: ${callLine(call, redact)}`)
  const subtasks = state.subtasks.map((subtask) => subtaskLine(subtask, redact))
  const before = state.recent.slice(-RECENT).reverse()
  const blocks = [
    headed(state.runUrl, figures),
    [...todos.slice(0, TODOS).map((todo) => todoLine(todo, redact)), ...(todos.length > TODOS ? [`- ${todos.length - TODOS} more`] : [])].join('\n'),
    waiting ? `> The model is asked again, for attempt ${waiting.attempt} failed: ${plainWords(redact(waiting.message), 300)}` : '',
    [...now, ...subtasks].join('\n'),
    before.length > 0 ? `<sub>Before: ${before.map((call) => callLine(call, redact)).join(' · ')}</sub>` : '',
  ]
  return blocks.filter((block) => block !== '').join('\n\n')
}

/** The working comment where only the sign of life is wished for: one line, and how long it has been. */
export function signOfLife(runUrl: string, elapsed: number): string {
  return headed(runUrl, [formatMinutes(elapsed)])
}

function headed(runUrl: string, figures: readonly string[]): string {
  return `${workingBody(runUrl)} <sub>${figures.join(' · ')}</sub>`
}

/** The comment is edited now and then only: seconds would look more exact than they are. */
function formatMinutes(elapsed: number): string {
  return elapsed < 60_000 ? 'just begun' : formatTime(Math.floor(elapsed / 60_000) * 60_000)
}

function todoLine({ content, status }: Todo, redact: Redact): string {
  const words = plainWords(redact(content), 200) || '…'
  if (status === 'completed') return `- [x] ${words}`
  if (status === 'cancelled') return `- [x] <del>${words}</del>`
  return status === 'in_progress' ? `- [ ] <strong>${words}</strong>` : `- [ ] ${words}`
}

function callLine(call: ToolPart, redact: Redact): string {
  const failed = call.state.status === 'error' ? ' (failed)' : ''
  return `${codeSpan(redact(call.tool), 40)} ${codeSpan(redact(aboutCall(call)), TITLE)}`.trim() + failed
}

function subtaskLine({ title, steps, running }: SubtaskState, redact: Redact): string {
  const now = running.map((call) => callLine(call, redact)).join(', ')
  return `- Subtask ${codeSpan(redact(title), TITLE)}: ${counted(steps, 'step')}${now ? `, now ${now}` : ''}`
}
