import type { RestContext } from './context.ts'
import { nodeId } from './links.ts'
import type { JobState, RunState } from './runs.ts'

/** Workflow runs and jobs as REST and webhooks write them. */

const workflowId = 4711
export const workflowPath = '.github/workflows/ci.yml'

/** A run. `pull` are the pull requests of this repository whose head it tested. */
export function runJson({ state, show, urls }: RestContext, run: RunState, message = 'Change'): object {
  const url = `${urls.api}/repos/${state.owner}/${state.repo}/actions/runs/${run.id}`
  const html = `${urls.html}/${state.owner}/${state.repo}`
  const repo = `${urls.api}/repos/${state.owner}/${state.repo}`
  const person = { name: 'Alice', email: 'alice@example.com' }
  const pulls = [...state.threads.values()].flatMap((thread) =>
    thread.pull !== undefined && thread.pull.headSha === run.headSha ? [{ thread, pull: thread.pull }] : [],
  )
  const lite = { id: state.id, url: repo, name: state.repo }
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('WorkflowRun', run.id),
    check_suite_id: run.id + 1,
    check_suite_node_id: nodeId('CheckSuite', run.id + 1),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: workflowPath,
    run_number: 1,
    run_attempt: run.attempt,
    referenced_workflows: [],
    event: run.event,
    display_title: message,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: workflowId,
    url,
    html_url: `${html}/actions/runs/${run.id}`,
    pull_requests: pulls.map(({ thread, pull }) => ({
      id: thread.id,
      number: thread.number,
      url: `${repo}/pulls/${thread.number}`,
      head: { ref: pull.head, sha: pull.headSha, repo: lite },
      base: { ref: pull.base, sha: pull.closedBase ?? pull.headSha, repo: lite },
    })),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    run_started_at: run.createdAt,
    actor: show.user(run.actor),
    triggering_actor: show.user(run.actor),
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${repo}/check-suites/${run.id + 1}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: run.attempt > 1 ? `${url}/attempts/${run.attempt - 1}` : null,
    workflow_url: `${repo}/actions/workflows/${workflowId}`,
    head_commit: { id: run.headSha, tree_id: run.headSha, message, timestamp: run.createdAt, author: person, committer: person },
    repository: liteRepository(show.repository()),
    head_repository: liteRepository(show.repository()),
  }
}

/** The fields of a repository that a run carries. */
const liteKeys =
  /^(archive|assignees|blobs|branches|collaborators|comments|commits|compare|contents|contributors|deployments|downloads|events|forks|git_commits|git_refs|git_tags|hooks|issue_comment|issue_events|issues|keys|labels|languages|merges|milestones|notifications|pulls|releases|stargazers|statuses|subscribers|subscription|tags|teams|trees)_url$|^(id|node_id|name|full_name|private|owner|html_url|description|fork|url)$/
const liteRepository = (whole: object): object => Object.fromEntries(Object.entries(whole).filter(([key]) => liteKeys.test(key)))

/** The workflow of a run, for its webhook. */
export function workflowJson({ state, urls }: RestContext, run: RunState): object {
  const repo = `${urls.api}/repos/${state.owner}/${state.repo}`
  const html = `${urls.html}/${state.owner}/${state.repo}`
  return {
    id: workflowId,
    node_id: nodeId('Workflow', workflowId),
    name: run.name,
    path: workflowPath,
    state: 'active',
    created_at: run.createdAt,
    updated_at: run.createdAt,
    url: `${repo}/actions/workflows/${workflowId}`,
    html_url: `${html}/blob/${state.defaultBranch}/${workflowPath}`,
    badge_url: `${html}/workflows/${encodeURIComponent(run.name)}/badge.svg`,
  }
}

export function jobJson({ state, urls }: RestContext, run: RunState, job: JobState): object {
  const repo = `${urls.api}/repos/${state.owner}/${state.repo}`
  const ended = job.conclusion !== null
  const status = ended ? 'completed' : 'in_progress'
  return {
    id: job.id,
    run_id: run.id,
    run_url: `${repo}/actions/runs/${run.id}`,
    run_attempt: run.attempt,
    node_id: nodeId('CheckRun', job.id),
    head_sha: run.headSha,
    head_branch: run.headBranch,
    workflow_name: run.name,
    url: `${repo}/actions/jobs/${job.id}`,
    html_url: `${urls.html}/${state.owner}/${state.repo}/actions/runs/${run.id}/job/${job.id}`,
    status,
    conclusion: job.conclusion,
    created_at: run.createdAt,
    started_at: run.createdAt,
    completed_at: ended ? run.updatedAt : null,
    name: job.name,
    steps: job.steps.map((step, index) => ({
      name: step.name,
      status: step.conclusion === null ? 'in_progress' : 'completed',
      conclusion: step.conclusion,
      number: index + 1,
      started_at: run.createdAt,
      completed_at: step.conclusion === null ? null : run.updatedAt,
    })),
    check_run_url: `${repo}/check-runs/${job.id}`,
    labels: ['ubuntu-latest'],
    runner_id: 1,
    runner_name: 'local',
    runner_group_id: 1,
    runner_group_name: 'GitHub Actions',
  }
}
