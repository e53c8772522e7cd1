import { counted } from '../text.ts'
import { formatCost, formatTokens, inputTokens, outputTokens, type Usage } from './figures.ts'
import { cutMarkdown, fenced, selfContained, size } from './markdown.ts'

/** Edits that were not pushed, as a patch in a file of the runner. */
export interface Patch {
  readonly path: string
  /** Absent where it is too large for a comment. */
  readonly text: string | undefined
  readonly bytes: number
}

interface CommonFacts {
  readonly runUrl: string
  /** What was published, and by which way, in whole sentences. */
  readonly landed?: string
  /** Review findings that no review holds, as Markdown. */
  readonly findings?: string
  /** The work, where it could be given no other way. */
  readonly patch?: Patch
  /** Things the person should know: what was left out of the context or of the commit. */
  readonly notes?: readonly string[]
}

/** What a reply says besides the answer. */
export interface ReplyFacts extends CommonFacts {
  readonly model: string
  readonly usage: Usage
}

/** What a failed run says in the thread. */
export interface FailureFacts extends CommonFacts {
  readonly message: string
  readonly hint: string
  readonly cancelled: boolean
  /** What the agent had to say, when it came to an answer before the failure. */
  readonly answer?: string
}

/** Bytes that the answer keeps before what stands below it is shortened. */
const ANSWER = 4_000
/** Bytes of a failure's comment at the most; a checkpoint may stand beside it. */
const FAILURE = 40_000

/** The comment shown while the agent works. It is what the notification mail shows, so it is short. */
export function workingBody(runUrl: string): string {
  return `Working on it. [Follow the run](${runUrl}).`
}

/**
 * The visible reply: answer, what was published, findings, patch, notes, and a line of figures. Fits `budget` bytes: the answer is cut
 * first, but before little is left of it the patch and then the findings give way (C122).
 */
export function replyBody(answer: string, facts: ReplyFacts, budget: number): string {
  return composed({ before: [], answer: answer.trim(), facts, footer: footer(facts) }, budget)
}

/** The comment that ends a failed run: what happened, what to do, and where the work is. Fits `budget` bytes like a reply. */
export function failureBody(facts: FailureFacts, budget = FAILURE): string {
  const { message, hint, cancelled, answer, runUrl } = facts
  const words = cancelled ? `This run was stopped before it finished. ${message}` : `This run failed. ${message}`
  const before = [words, hint, ...(answer ? ["The agent's answer was:"] : [])]
  return composed({ before, answer: answer?.trim() ?? '', facts, footer: `<sub>[run](${runUrl})</sub>` }, budget)
}

interface Composition {
  readonly before: readonly string[]
  readonly answer: string
  readonly facts: CommonFacts
  readonly footer: string
}

/** How much of what stands below the answer is shown, from all to the least. */
const forms = [
  { patch: true, findings: true },
  { patch: false, findings: true },
  { patch: false, findings: false },
] as const

function composed({ before, answer, facts, footer }: Composition, budget: number): string {
  const { runUrl, landed = '', findings = '', patch, notes = [] } = facts
  const head = joined(before)
  const text = selfContained(answer)
  const tails = forms.map((form) =>
    joined([
      landed,
      findingsBlock(findings, form.findings ? budget : budget / 4, runUrl),
      patch ? patchBlock(form.patch ? patch : { ...patch, text: undefined }, runUrl, landed !== '') : '',
      notes.map((note) => `> ${note}`).join('\n>\n'),
      footer,
    ]),
  )
  const room = (tail: string) => budget - size(head) - size(tail) - 4
  const tail = tails.find((tail) => room(tail) >= Math.min(size(text), ANSWER)) ?? cutMarkdown(tails.at(-1) ?? '', budget / 2, footer)
  const note = `*The answer was cut to fit a comment; the [run](${runUrl}) has the whole transcript.*`
  return joined([head, cutMarkdown(text, Math.max(0, room(tail)), note), tail])
}

function joined(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n')
}

function footer({ runUrl, model, usage }: ReplyFacts): string {
  const figures = [
    `[run](${runUrl})`,
    `\`${model}\``,
    counted(usage.steps, 'step'),
    `${formatTokens(inputTokens(usage))} in, ${formatTokens(outputTokens(usage))} out`,
    ...(usage.cost > 0 ? [formatCost(usage.cost)] : []),
  ]
  return `<sub>${figures.join(' · ')}</sub>`
}

function findingsBlock(findings: string, max: number, runUrl: string): string {
  if (findings.trim() === '') return ''
  const note = `*More findings did not fit here; the transcript of the [run](${runUrl}) has them.*`
  return `These findings could not be posted as a review:\n\n${cutMarkdown(selfContained(findings.trim()), max, note)}`
}

/** `isTold`: it was said already what was pushed and what was not. */
function patchBlock({ text, bytes }: Patch, runUrl: string, isTold: boolean): string {
  if (text === undefined) {
    const where = `in the file named by the output \`patch-path\` of the [run](${runUrl}).`
    return isTold ? `All edits are in a patch (${bytes} bytes), ${where}` : `The edits (${bytes} bytes as a patch) were not pushed. They are ${where}`
  }
  return [
    `<details><summary>${isTold ? 'All edits as a patch' : 'The edits were not pushed; this patch holds them'}</summary>`,
    fenced('diff', text.trimEnd()),
    'Save it as `work.patch` and apply it with `git apply work.patch`.',
    '</details>',
  ].join('\n\n')
}
