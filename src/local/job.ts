import { join } from 'node:path'
import { z } from 'zod'
import { account } from './github/state.ts'
import { askGit, git } from './process.ts'
import { type Job, newRunId, type RunInput, type RunResult, startStep } from './runner.ts'
import { stopWhen } from './stop.ts'
import type { World } from './world.ts'

/** Runs the action in a world, as a job of a workflow there. */

/**
 * Runs the built action in a world as the runner would run a step that `uses` it, in the newest checkout or a first one.
 * The run is there for the runs API: in progress until the step ends, and for good when its machine was lost.
 */
export async function runAction(world: World, input: RunInput): Promise<RunResult> {
  const job = await jobOf(world, input)
  const about = { name: 'opencode', event: input.event, headBranch: job.branch, headSha: job.sha, actor: job.actor, attempt: job.attempt }
  world.github.run(job.runId, { ...about, status: 'in_progress' })
  const result = await step(world, job, input)
  if (input.stop?.machineLost !== true) world.github.run(job.runId, { conclusion: result.code === 0 ? 'success' : 'failure' })
  return result
}

/** Runs the action once more as the runner's post step, with the state its main step saved; `input.runId` says of which run. */
export async function runPost(world: World, input: RunInput, state: RunResult['state']): Promise<RunResult> {
  const job = await jobOf(world, input)
  return step(world, { ...job, folder: `${job.folder}-post` }, input, state)
}

async function step(world: World, job: Job, input: RunInput, saved?: RunResult['state']): Promise<RunResult> {
  const watched = input.stop === undefined ? undefined : stopWhen(world, input.stop, input)
  try {
    // The token is an input with a default, `github.token`.
    return await startStep(job, { ...input, ...watched?.hooks, inputs: { 'github-token': world.github.state.token, ...input.inputs } }, saved)
  } finally {
    watched?.end()
  }
}

const Payload = z.object({
  sender: z.object({ login: z.string() }).optional(),
  pull_request: z.object({ number: z.number(), head: z.object({ ref: z.string() }), base: z.object({ ref: z.string() }) }).optional(),
})
const ofMerge = new Set(['pull_request', 'pull_request_review', 'pull_request_review_comment'])

async function jobOf(world: World, input: RunInput): Promise<Job> {
  const { state, url, apiUrl, graphqlUrl, bare } = world.github
  const workspace = input.workspace ?? (world.workspace || (await world.checkout()))
  const { runId = newRunId(), attempt = 1 } = input
  const payload = Payload.safeParse(input.payload).data
  const pull = payload?.pull_request
  const merge = pull === undefined || !ofMerge.has(input.event) ? undefined : `refs/pull/${pull.number}/merge`
  const named = pull !== undefined && input.event.startsWith('pull_request') && !input.event.includes('review')
  const branch = pull !== undefined && input.event === 'pull_request_target' ? pull.base.ref : state.defaultBranch
  const merged = merge === undefined ? undefined : (await askGit(bare, world.env, ['rev-parse', '--verify', '--quiet', merge]))?.trim()
  return {
    folder: join(world.folder, 'runs', attempt === 1 ? runId : `${runId}-${attempt}`),
    temp: input.temp ?? world.temp,
    home: join(world.folder, 'home'),
    workspace,
    bundle: input.bundle ?? world.bundle,
    urls: { server: url, api: apiUrl, graphql: graphqlUrl },
    repository: { owner: state.owner, name: state.repo, id: state.id, ownerId: account(state, state.owner).id },
    ref: merge ?? `refs/heads/${branch}`,
    headRef: named ? pull.head.ref : '',
    baseRef: named ? pull.base.ref : '',
    branch,
    sha: merged ?? (await git(workspace, world.env, ['rev-parse', 'HEAD'])).trim(),
    actor: payload?.sender?.login ?? state.owner,
    runId,
    attempt,
    machine: world.env,
  }
}
