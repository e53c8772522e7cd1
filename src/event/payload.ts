import { z } from 'zod'
import { EventError } from './errors.ts'
import type { Person } from './trigger.ts'

/** The parts of GitHub's payloads that we read. Bodies may be null (C08), so may users whose account is gone (C24); texts we can do without may be missing. */

/** GitHub's own stand-in for a deleted account; no list and no permission matches it, for its type is not `User`. */
const ghost: Person = { login: 'ghost', type: 'Unknown' }

const account = z
  .object({ login: z.string().min(1), id: z.number().optional(), type: z.enum(['User', 'Bot', 'Organization', 'Unknown']).catch('Unknown') })
  .transform((user): Person => ({ login: user.login, type: user.type, ...(user.id !== undefined && { id: user.id }) }))

const person = account.nullish().transform((user): Person => user ?? ghost)

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')

const repository = z
  .object({
    id: z.number().optional(),
    full_name: text,
    name: z.string(),
    owner: z.object({ login: z.string() }),
    default_branch: z.string().optional(),
    private: z.boolean().optional(),
  })
  .optional()

const issue = z.object({
  number: z.number(),
  title: text,
  body: text,
  user: person,
  state: text,
  locked: z.boolean().nullish(),
  created_at: text,
})

/** A fork that is gone is null (C91). */
const fork = z
  .object({ full_name: z.string() })
  .nullish()
  .transform((repo) => repo?.full_name ?? null)

const pull = issue.extend({ head: z.object({ sha: z.string(), ref: z.string(), repo: fork }) })

const common = z.object({ repository, sender: person })

const asking = z.object({ id: z.number(), html_url: text, body: text, user: person })
const comment = asking.extend({ created_at: text })

const line = z
  .number()
  .nullish()
  .transform((value) => value ?? null)

const remark = comment.extend({
  path: z.string(),
  line,
  start_line: line,
  original_line: line,
  side: z.enum(['LEFT', 'RIGHT']).catch('RIGHT'),
  diff_hunk: text,
  commit_id: z.string(),
  original_commit_id: z.string().nullish(),
  in_reply_to_id: z.number().nullish(),
  subject_type: text,
})

export const issueCommentPayload = common.extend({
  action: z.string(),
  // GitHub sends comments on pull requests as comments on issues; only this field tells them apart (C09).
  issue: issue.extend({ pull_request: z.unknown().optional() }),
  comment,
})

export const reviewCommentPayload = common.extend({ action: z.string(), pull_request: pull, comment: remark })

export const reviewPayload = common.extend({
  action: z.string(),
  pull_request: pull,
  review: asking.extend({ state: text, submitted_at: text, commit_id: text }),
})

export const issuesPayload = common.extend({ action: z.string(), issue })

export const pullRequestPayload = common.extend({ action: z.string(), pull_request: pull })

export const schedulePayload = common.extend({ schedule: text })

export const dispatchPayload = common

export const repositoryDispatchPayload = common.extend({ action: text, client_payload: z.unknown().optional() })

const tested = z.object({ sha: z.string(), repo: z.object({ id: z.number() }).nullish() })

export const workflowRunPayload = common.extend({
  action: z.string(),
  workflow: z.object({ name: text }).nullish(),
  workflow_run: z.object({
    id: z.number(),
    name: text,
    html_url: text,
    conclusion: text,
    head_branch: z
      .string()
      .nullish()
      .transform((value) => value ?? null),
    head_sha: z.string(),
    head_repository: z.object({ id: z.number() }).nullish(),
    actor: person,
    // Who started it again, if anybody did; older servers don't say.
    triggering_actor: account.nullish(),
    pull_requests: z.array(z.object({ number: z.number(), head: tested, base: tested })).nullish(),
  }),
})

export type Common = z.output<typeof common>
export type Issue = z.output<typeof issue>
export type Pull = z.output<typeof pull>
export type Remark = z.output<typeof remark>

/** Reads a payload against its schema. Throws `EventError` naming the event and what is wrong with it. */
export function parsePayload<T>(event: string, schema: z.ZodType<T>, payload: unknown): T {
  const result = schema.safeParse(payload)
  if (result.success) return result.data
  const faults = result.error.issues.map((issue) => `${issue.path.join('.') || 'the whole'}: ${issue.message}`)
  throw new EventError(
    `The payload of the event "${event}" is not what GitHub sends (${faults.join('; ')}).`,
    'Give GITHUB_EVENT_PATH a payload as GitHub documents it.',
  )
}
