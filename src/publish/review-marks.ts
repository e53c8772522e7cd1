import { z } from 'zod'
import { parseJson } from '../json.ts'
import type { Mark } from '../tool/review-finding.ts'

/** The hidden marks of our reviews: what a remark says, and which commit a review was made for. They count only in what the bot's own account wrote. */

const FindingMark = z.object({ at: z.string(), title: z.string(), path: z.string(), line: z.number().nullable(), fixed: z.string().optional() })
export type FindingMark = z.infer<typeof FindingMark> & Mark
const ReviewMark = z.object({ head: z.string().regex(/^[0-9a-f]{7,64}$/) })

const findings = /<!-- opencode:finding (\{[^\n]*?\}) -->/g
const reviews = /<!-- opencode:review (\{[^\n]*?\}) -->/g

/** The mark at the end of a remark. */
export function findingMark(mark: FindingMark): string {
  return `<!-- opencode:finding ${json(mark)} -->`
}

/** The mark at the end of a review. */
export function reviewMark(head: string): string {
  return `<!-- opencode:review ${json({ head })} -->`
}

/** The findings that a text is marked with. */
export function findingsIn(body: string): readonly FindingMark[] {
  return [...body.matchAll(findings)].flatMap(([, text = '']) => FindingMark.safeParse(parseJson(text)).data ?? [])
}

/** The commit that a review was made for. */
export function reviewedIn(body: string): string | undefined {
  return [...body.matchAll(reviews)].map(([, text = '']) => ReviewMark.safeParse(parseJson(text)).data?.head).at(-1)
}

/** The text of a remark, its finding marked as dealt with in this commit: should it come back, it is said again. */
export function markedFixed(body: string, commit: string): string {
  return body.replaceAll(findings, (whole, text: string) => {
    const mark = FindingMark.safeParse(parseJson(text)).data
    return mark ? findingMark({ ...mark, fixed: commit }) : whole
  })
}

/** JSON that can't end the comment it stands in. */
function json(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')
}
