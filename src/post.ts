import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { adviceOf, messageOf } from './failure.ts'
import { connect } from './github/client.ts'
import type { Comment, GitHub } from './github/types.ts'
import { parseJson } from './json.ts'
import { limits } from './limits.ts'
import { desk } from './publish/desk.ts'
import type { Log } from './report/log.ts'
import type { Redactor } from './report/redact.ts'
import { type FailureFacts, failureBody } from './report/reply.ts'
import { readSettings } from './settings/read.ts'
import { readRunner } from './settings/runner.ts'
import type { Runner } from './settings/types.ts'
import { closedBody } from './thread/checkpoint.ts'
import { postedClaims } from './thread/claim.ts'
import { carriesSession } from './thread/hidden.ts'
import { dropBallast } from './workspace/ballast.ts'
import { salvage } from './workspace/edits.ts'
import { restoreSteering } from './workspace/steering.ts'

interface CleanUp {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
  readonly redactor: Redactor
}

const id = z.coerce.number().int().positive().optional().catch(undefined)
const json = z
  .string()
  .optional()
  .transform((text) => (text === undefined ? undefined : parseJson(text)))

/** What the run has left word of. */
const Left = z.object({
  STATE_number: id,
  STATE_claim: z.string().optional(),
  STATE_comment: id,
  STATE_reaction: id,
  STATE_request: json
    .pipe(z.union([z.object({ comment: z.number() }), z.object({ reviewComment: z.number() }), z.object({ issue: z.number() })]).optional())
    .catch(undefined),
  STATE_branch: z.string().optional(),
  STATE_root: z.string().optional(),
  STATE_start: json.pipe(z.object({ commit: z.string(), tree: z.string() }).optional()).catch(undefined),
})
type Left = z.infer<typeof Left>

/**
 * The step after the job: when the run was killed before it could say so, takes its reaction away, saves the edits it left in the checkout, puts back
 * what steers git there, and turns its working comment into a word about what happened; what is hidden in that comment stays, so that the next run can go on. Never fails the job.
 */
export async function cleanUp({ env, log, redactor }: CleanUp): Promise<void> {
  if (env.STATE_finished) return
  try {
    const left = Left.parse(env)
    const { STATE_number: number, STATE_request: request } = left
    const settings = readSettings(env)
    redactor.add(settings.githubToken)
    const runner = readRunner(env)
    await dropBallast(runner.temp)
    const patch = await rescue(left, runner, env, log)
    await restoreSteering(runner.temp).catch((error: unknown) => log.warning(`What steers git in the checkout could not be put back: ${messageOf(error)}`))
    if (number === undefined || !request) return
    const github = connect({ token: settings.githubToken, apiUrl: runner.apiUrl, graphqlUrl: runner.graphqlUrl, owner: runner.owner, repo: runner.repo })
    const comment = await workingComment(github, number, left)
    if (comment) {
      const facts = { ...lastWords(left.STATE_branch, carriesSession(comment.body)), runUrl: runner.runUrl, cancelled: true, ...(patch ? { patch } : {}) }
      // A comment that is a reply by now says enough.
      const body = closedBody(comment.body, redactor.redact(failureBody(facts)))
      if (body !== undefined) await github.updateComment(comment.id, body)
    }
    // GitHub sets a reaction once, so asking for it again tells which it is.
    const reaction = left.STATE_reaction ?? (await github.react(request).catch(() => undefined))
    await desk(github, { number, request }, undefined, reaction).leave()
    log.info('Took back the reaction of a run that was killed, and said so in the thread.')
  } catch (error) {
    log.warning(`The clean-up failed: ${adviceOf(error)}`)
  }
}

/** The working comment as it stands: the one the run left word of or, where it was killed before it could, the one with its claim. */
async function workingComment(github: GitHub, number: number, { STATE_comment: known, STATE_claim: claim }: Left): Promise<Comment | undefined> {
  const { comments, viewer } = await github.discussion(number)
  const id = known ?? postedClaims(comments, viewer.login).find((posted) => posted.id === claim)?.comment
  return comments.find((comment) => comment.id === id)
}

/** The edits in the checkout, as a file and for the thread. */
async function rescue({ STATE_root: root, STATE_start: start }: Left, { temp }: Runner, env: CleanUp['env'], log: Log) {
  if (!root || !start) return undefined
  try {
    const edits = await salvage({ root, start, temp, env }, limits.checkpointPatchChars)
    if (!edits) return undefined
    const folder = join(temp, 'opencode')
    await mkdir(folder, { recursive: true })
    const path = join(folder, 'work.patch')
    if (edits.patch !== undefined) await writeFile(path, edits.patch)
    return { path, text: edits.bytes <= limits.inlinePatchChars ? edits.patch : undefined, bytes: edits.bytes }
  } catch (error) {
    log.warning(`The edits in the checkout could not be saved: ${messageOf(error)}`)
    return undefined
  }
}

/** What the thread is told: a push may have arrived although nobody lived to say so. */
function lastWords(branch: string | undefined, isResumable: boolean): Pick<FailureFacts, 'message' | 'hint' | 'landed'> {
  if (!branch) {
    return {
      message: 'The job ended while the agent was working; nothing of this run was pushed.',
      hint: isResumable ? 'Comment again, or `/opencode continue`, to have the work gone on with.' : 'Comment again to have the work done.',
    }
  }
  return {
    message: 'The job ended while the work was being pushed.',
    hint: 'Look for it before you comment again.',
    landed: `It may have arrived on the branch \`${branch}\`, and in a pull request of that branch.`,
  }
}
