import { formatCost, formatTokens, inputTokens, outputTokens, type Usage } from './figures.ts'
import { cutMarkdown, fenced, selfContained } from './markdown.ts'

/** What a reply says besides the answer. */
export interface ReplyFacts {
  readonly runUrl: string
  readonly model: string
  readonly usage: Usage
  /** One line about what was published: the pull request, the commit. */
  readonly landed?: string
  /** Things the person should know: what was left out of the context or of the commit. */
  readonly notes: readonly string[]
}

/** The comment shown while the agent works. */
export function workingBody(runUrl: string): string {
  return `Working on it. [Follow the run](${runUrl}).`
}

/** The visible reply: answer, what was published, notes, and a line of figures. Fits `budget`, the answer being cut first (C122). */
export function replyBody(answer: string, facts: ReplyFacts, budget: number): string {
  const tail = [
    ...(facts.landed ? [facts.landed] : []),
    ...(facts.notes.length > 0 ? [facts.notes.map((note) => `> ${note}`).join('\n>\n')] : []),
    footer(facts),
  ].join('\n\n')
  const cutNote = `*The answer was cut to fit a comment; the [run](${facts.runUrl}) has the whole transcript.*`
  return `${cutMarkdown(selfContained(answer.trim()), budget - Buffer.byteLength(tail) - 4, cutNote)}\n\n${tail}`
}

function footer({ runUrl, model, usage }: ReplyFacts): string {
  const figures = [
    `[run](${runUrl})`,
    `\`${model}\``,
    `${usage.steps} ${usage.steps === 1 ? 'step' : 'steps'}`,
    `${formatTokens(inputTokens(usage))} in, ${formatTokens(outputTokens(usage))} out`,
    ...(usage.cost > 0 ? [formatCost(usage.cost)] : []),
  ]
  return `<sub>${figures.join(' · ')}</sub>`
}

/** What a failed run says in the thread. */
export interface FailureFacts {
  readonly message: string
  readonly hint: string
  readonly runUrl: string
  readonly cancelled: boolean
  /** What the agent had to say, when it came to an answer before the failure. */
  readonly answer?: string
  /** Where the work is, when it was published before the failure. */
  readonly landed?: string
  /** The edits made before the failure. */
  readonly patch?: { readonly path: string; readonly text: string | undefined; readonly bytes: number }
}

/** The comment that ends a failed run: what happened, what to do, and where the work is. */
export function failureBody(facts: FailureFacts): string {
  const lines = [
    facts.cancelled ? `This run was stopped before it finished. ${facts.message}` : `This run failed. ${facts.message}`,
    facts.hint,
    ...(facts.landed ? [facts.landed] : []),
    ...(facts.answer ? [`The agent's answer was:\n\n${facts.answer}`] : []),
    ...(facts.patch ? [patchBlock(facts.patch, facts.runUrl)] : []),
    `<sub>[run](${facts.runUrl})</sub>`,
  ]
  return lines.filter((line) => line !== '').join('\n\n')
}

function patchBlock(patch: NonNullable<FailureFacts['patch']>, runUrl: string): string {
  if (patch.text === undefined)
    return `The edits made so far (${patch.bytes} bytes) were not pushed. They are in the file named by the output \`patch-path\` of the [run](${runUrl}).`
  return [
    '<details><summary>The edits made so far were not pushed; this patch holds them</summary>',
    fenced('diff', patch.text.trimEnd()),
    'Save it as `work.patch` and apply it with `git apply work.patch`.',
    '</details>',
  ].join('\n\n')
}
