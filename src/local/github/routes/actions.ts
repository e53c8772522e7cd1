import type { RestContext } from '../context.ts'
import { logUrl } from '../files.ts'
import { notFound, page } from '../http.ts'
import type { JobState, RunState } from '../runs.ts'
import { jobJson, runJson } from '../show-run.ts'
import { listUrl, ok, type Route } from './route.ts'

/** Workflow runs, their jobs and logs. */

function run({ state }: RestContext, id: string | undefined, attempt?: string): RunState {
  const found = state.runs.get(Number(id))
  if (found === undefined || (attempt !== undefined && found.attempt < Number(attempt))) throw notFound()
  return found
}

function job({ state }: RestContext, id: string | undefined): { run: RunState; job: JobState } {
  for (const item of state.runs.values()) {
    const found = item.jobs.find((entry) => entry.id === Number(id))
    if (found !== undefined) return { run: item, job: found }
  }
  throw notFound()
}

const jobsOf: Route[2] = (context, request, [id, attempt]) => {
  const found = run(context, id, attempt)
  const shown = page(found.jobs, request, listUrl(context, request), (item) => jobJson(context, found, item))
  return { ...shown, body: { total_count: found.jobs.length, jobs: shown.body } }
}

export const actionRoutes: readonly Route[] = [
  ['GET', /^\/actions\/runs\/(\d+)$/, (context, _request, [id]) => ok(runJson(context, run(context, id)))],
  ['GET', /^\/actions\/runs\/(\d+)\/attempts\/(\d+)$/, (context, _request, [id, attempt]) => ok(runJson(context, run(context, id, attempt)))],
  ['GET', /^\/actions\/runs\/(\d+)\/jobs$/, jobsOf],
  ['GET', /^\/actions\/runs\/(\d+)\/attempts\/(\d+)\/jobs$/, jobsOf],
  [
    'GET',
    /^\/actions\/jobs\/(\d+)$/,
    (context, _request, [id]) => {
      const found = job(context, id)
      return ok(jobJson(context, found.run, found.job))
    },
  ],
  [
    'GET',
    /^\/actions\/jobs\/(\d+)\/logs$/,
    (context, _request, [id]) => {
      const found = job(context, id)
      if (found.job.log === null) throw notFound()
      return { status: 302, headers: { location: logUrl(context.urls, found.job.id) } }
    },
  ],
]
