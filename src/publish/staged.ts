import { fenced } from '../report/markdown.ts'
import { stripHidden } from '../thread/hidden.ts'
import type { Intents } from '../tool/github.ts'
import type { ReviewIntent } from '../tool/review-finding.ts'
import type { TriageIntent } from '../tool/triage.ts'
import type { Change } from '../workspace/types.ts'
import { isPlaced, listOf, remarkOf, type Safe } from './review-body.ts'
import { plannedTriage } from './triage.ts'

/** The commit that would be pushed. */
export interface StagedWork {
  readonly branch: string
  readonly message: string
  /** What would happen to a pull request, as a sentence; absent where none would be touched. */
  readonly pull?: string | undefined
  readonly files: readonly Change[]
  /** The whole patch; undefined where it is too long to be shown, and stands in a file alone. */
  readonly patch: string | undefined
  /** Where it is kept. */
  readonly patchPath?: string | undefined
}

export interface Staged {
  /** The issue or pull request that would be spoken to. */
  readonly number: number | undefined
  readonly reply: string
  readonly work: StagedWork | undefined
  readonly intents: Intents | undefined
}

/** For the job summary of `mode: staged`: what would have been written to GitHub, as Markdown. `safe` makes the model's words fit to be shown. */
export function stagedReport({ number, reply, work, intents }: Staged, safe: Safe): string {
  const sections = [
    '## What would have been done',
    '`mode: staged`: nothing was written to GitHub.',
    ...(work ? workOf(work, safe) : ['No file was changed.']),
    ...(intents?.review ? reviewOf(intents.review, safe) : []),
    ...(intents ? triageOf(intents.triage, number) : []),
    ...(number === undefined ? [] : [`### Reply on #${number}`, safe(reply.trim())]),
  ]
  return stripHidden(sections.join('\n\n'))
}

function workOf({ branch, message, pull, files, patch, patchPath }: StagedWork, safe: Safe): string[] {
  const where = patchPath === undefined ? '' : ` It is in \`${patchPath}\`.`
  const shown =
    patch === undefined
      ? [`The patch is too long to be shown.${where}`]
      : [`<details><summary>The patch</summary>\n\n${safe(fenced('diff', patch.trimEnd()))}\n\n</details>`, ...(where === '' ? [] : [where.trim()])]
  return [
    '### Changes',
    `A commit on \`${branch}\`${pull === undefined ? '.' : `. ${pull}`}`,
    safe(fenced('', message.trimEnd())),
    files.map((file) => `- \`${safe(file.path)}\` (${file.status})`).join('\n'),
    ...shown,
  ]
}

function reviewOf({ head, findings, fixed }: ReviewIntent, safe: Safe): string[] {
  const remarks = findings.filter(isPlaced).map((finding) => {
    const { path, body, line, startLine } = remarkOf(finding, safe)
    return `#### At \`${path}:${startLine === undefined ? '' : `${startLine}-`}${line}\`\n\n${body}`
  })
  const { text } = listOf(
    findings.filter((finding) => !isPlaced(finding)),
    safe,
    Number.POSITIVE_INFINITY,
  )
  const dealt = fixed.flatMap(({ open, path }) => (open ? [`- ${open.id}, \`${path}\``] : []))
  return [
    `### Review of ${head.slice(0, 7)}`,
    ...(findings.length === 0 ? ['No new remarks.'] : []),
    ...remarks,
    ...(text === '' ? [] : [text]),
    ...(dealt.length === 0 ? [] : [`Threads to resolve:\n\n${dealt.join('\n')}`]),
  ]
}

function triageOf(intent: TriageIntent, number: number | undefined): string[] {
  const steps = plannedTriage(intent)
  return steps.length === 0 ? [] : [`### Issue${number === undefined ? '' : ` #${number}`}`, steps.map((step) => `- ${step}`).join('\n')]
}
