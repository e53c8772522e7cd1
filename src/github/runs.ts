import { z } from 'zod'
import type { Gateway } from './gateway.ts'
import { unless } from './persist.ts'
import type { Connection, FailedJob, GitHub } from './types.ts'

const readable = { permission: 'actions: read' }

/** Failed jobs of a run that are told of; a broken matrix has hundreds. */
const mostJobs = 10
/** Jobs that are looked through for them. */
const mostLooked = 1000
/** Bytes of the end of a job's log that are kept. */
const logBytes = 200_000

type Runs = Pick<GitHub, 'runState' | 'failedJobs'>

/** Workflow runs, our own and those that failed. */
export function runs(gateway: Gateway, { owner, repo }: Connection): Runs {
  const at = { owner, repo }

  const logOf = async (job: number): Promise<string> => {
    const call = { action: `read the log of job ${job}`, ...readable, refusable: true, shape: z.unknown() }
    const there = { ...at, job_id: job, request: { redirect: 'manual' as const } }
    try {
      const { data, header } = await gateway.answer(call, ({ rest }) => rest.actions.downloadJobLogsForWorkflowRun(there))
      const address = header('location')
      if (address === undefined) return typeof data === 'string' ? endOf([Buffer.from(data)]) : ''
      const response = await gateway.download(address)
      return response.ok && response.body ? await endOf(response.body) : ''
    } catch {
      // Logs expire, and some tokens see jobs but not what they said; the name of the job and its steps still tell something.
      return ''
    }
  }

  return {
    async runState(id) {
      if (!/^\d+$/.test(id)) return 'unknown'
      const call = { action: `read the state of run ${id}`, ...readable, refusable: true, shape: z.object({ status: z.string().nullable() }) }
      const run = await unless(
        ['forbidden', 'missing'],
        gateway.rest(call, ({ rest }) => rest.actions.getWorkflowRun({ ...at, run_id: Number(id) })),
      )
      if (!run) return 'unknown'
      return run.status === 'completed' ? 'ended' : 'live'
    },
    async failedJobs(run) {
      const call = { action: `read the jobs of run ${run}`, ...readable, shape: jobsShape() }
      const query = { ...at, run_id: run, filter: 'latest' as const }
      const jobs = await gateway.list(call, ({ rest }, page) => rest.actions.listJobsForWorkflowRun({ ...query, ...page }), mostLooked)
      const failed = jobs.filter(({ conclusion }) => hasFailed(conclusion)).slice(0, mostJobs)
      return Promise.all(
        failed.map(
          async ({ id, ...job }): Promise<FailedJob> => ({
            name: job.name,
            url: job.html_url ?? '',
            steps: (job.steps ?? []).filter((step) => hasFailed(step.conclusion)).map((step) => step.name),
            log: await logOf(id),
          }),
        ),
      )
    },
  }
}

const jobsShape = () =>
  z
    .object({
      jobs: z.array(
        z.object({
          id: z.number(),
          name: z.string(),
          html_url: z.string().nullish(),
          conclusion: z.string().nullish(),
          steps: z.array(z.object({ name: z.string(), conclusion: z.string().nullish() })).nullish(),
        }),
      ),
    })
    .transform(({ jobs }) => jobs)

const hasFailed = (conclusion: string | null | undefined): boolean => conclusion === 'failure' || conclusion === 'timed_out'

/** The end of a text that may be far larger than what is kept of it; it begins with a whole line. */
async function endOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  let kept: Uint8Array[] = []
  let size = 0
  let total = 0
  for await (const chunk of chunks) {
    kept.push(chunk)
    size += chunk.length
    total += chunk.length
    if (size < 2 * logBytes) continue
    kept = [Buffer.concat(kept).subarray(-logBytes)]
    size = logBytes
  }
  const text = Buffer.concat(kept).subarray(-logBytes).toString('utf8')
  return total > logBytes ? text.slice(text.indexOf('\n') + 1) : text
}
