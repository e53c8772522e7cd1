import { limits } from '../limits.ts'
import { excerpt } from '../text.ts'
import { EventError } from './errors.ts'
import { dispatchPayload, parsePayload, repositoryDispatchPayload, schedulePayload, workflowRunPayload } from './payload.ts'
import { nothing, type ReadingSettings, repositoryOf } from './reading.ts'
import type { Reading, Verb } from './trigger.ts'
import { defaultRequests } from './verb.ts'

/** The events in which nobody says anything: the input `prompt` tells what to do (C10). */

export function readSchedule(payload: unknown, settings: ReadingSettings): Reading {
  const read = parsePayload('schedule', schedulePayload, payload)
  const verb = promptOf('schedule', settings)
  return { kind: 'trigger', trigger: { event: 'schedule', cron: read.schedule, repository: repositoryOf(read, settings), actor: read.sender, verb } }
}

export function readDispatch(payload: unknown, settings: ReadingSettings): Reading {
  const read = parsePayload('workflow_dispatch', dispatchPayload, payload)
  const verb = promptOf('workflow_dispatch', settings)
  return { kind: 'trigger', trigger: { event: 'workflow_dispatch', repository: repositoryOf(read, settings), actor: read.sender, verb } }
}

export function readRepositoryDispatch(payload: unknown, settings: ReadingSettings): Reading {
  const read = parsePayload('repository_dispatch', repositoryDispatchPayload, payload)
  const verb = promptOf('repository_dispatch', settings)
  const details = excerpt(JSON.stringify(read.client_payload ?? {}), limits.dispatchChars)
  return {
    kind: 'trigger',
    trigger: { event: 'repository_dispatch', type: read.action, payload: details, repository: repositoryOf(read, settings), actor: read.sender, verb },
  }
}

const failures = new Set(['failure', 'timed_out', 'startup_failure'])

/**
 * A failed run of another workflow is to be understood and mended. Only what ran on a commit of this repository counts: what a fork's commit prints
 * is a stranger's text, and its branch names mean nothing here. The one who started the run is the one who asks.
 */
export function readWorkflowRun(payload: unknown, settings: ReadingSettings): Reading {
  const read = parsePayload('workflow_run', workflowRunPayload, payload)
  const run = read.workflow_run
  const name = run.name || read.workflow?.name || 'without a name'
  if (read.action !== 'completed') return nothing(`The workflow run was ${read.action}, and only finished runs are acted on.`)
  if (!failures.has(run.conclusion)) return nothing(`The workflow ${name} ended as "${run.conclusion}": there is nothing to mend.`)
  const home = read.repository?.id
  if (home === undefined || run.head_repository?.id !== home)
    return nothing(`The workflow ${name} ran on a commit of another repository. Call ${settings.triggers[0] ?? 'the agent'} in the pull request instead.`)
  const pull = run.pull_requests?.find(({ head, base }) => base.repo?.id === home && head.repo?.id === home)
  // What we pushed ourselves and nobody has taken up yet would be mended again and again.
  if (!pull && settings.branchPrefix && run.head_branch?.startsWith(settings.branchPrefix))
    return nothing(`The branch ${run.head_branch} is one of our own and has no pull request.`)
  return {
    kind: 'trigger',
    trigger: {
      event: 'workflow_run',
      repository: repositoryOf(read, settings),
      actor: run.triggering_actor ?? run.actor,
      verb: { type: 'prompt', text: settings.prompt ?? defaultRequests.run },
      run: { id: run.id, name, url: run.html_url, branch: run.head_branch, sha: run.head_sha },
      ...(pull && { pull: pull.number }),
    },
  }
}

function promptOf(event: string, settings: ReadingSettings): Verb {
  if (settings.prompt) return { type: 'prompt', text: settings.prompt }
  throw new EventError(`The event "${event}" carries no request, and the input prompt is empty.`, 'Set the input `prompt` to what should be done.')
}
