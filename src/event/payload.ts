import { z } from 'zod'
import { EventError } from './errors.ts'
import type { Person } from './trigger.ts'

/** The parts of GitHub's payloads that we read. Bodies may be null (C08), so may users whose account is gone (C24); texts we can do without may be missing. */

/** GitHub's own stand-in for a deleted account; no list and no permission matches it, for its type is not `User`. */
const ghost: Person = { login: 'ghost', type: 'Unknown' }

const person = z
  .object({ login: z.string().min(1), id: z.number().optional(), type: z.enum(['User', 'Bot', 'Organization', 'Unknown']).catch('Unknown') })
  .nullish()
  .transform((user): Person => (user ? { login: user.login, type: user.type, ...(user.id !== undefined && { id: user.id }) } : ghost))

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')

const repository = z
  .object({
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
  pull_request: z.unknown().optional(),
})

const common = z.object({ repository, sender: person })

export const issueCommentPayload = common.extend({
  action: z.string(),
  issue,
  comment: z.object({ id: z.number(), html_url: text, body: text, created_at: text, user: person }),
})

export const issuesPayload = common.extend({ action: z.string(), issue })

export const schedulePayload = common.extend({ schedule: text })

export const dispatchPayload = common

export type Common = z.output<typeof common>
export type Issue = z.output<typeof issue>

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
