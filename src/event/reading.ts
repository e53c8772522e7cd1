import type { Common, Issue, Pull } from './payload.ts'
import type { EventHead, Reading, Repository, Subject } from './trigger.ts'

/** The settings an event is read with, and the repository of the run: payloads of schedules may name none. */
export interface ReadingSettings {
  readonly triggers: readonly string[]
  readonly prompt?: string
  /** What the names of our own branches begin with. */
  readonly branchPrefix?: string
  readonly repository: { readonly owner: string; readonly name: string }
}

export type Reader = (payload: unknown, settings: ReadingSettings) => Reading

export function nothing(reason: string): Reading {
  return { kind: 'nothing', reason }
}

/** Why a text starts nothing: it says the words nowhere, or only where they don't count. */
export function silence(what: string, { triggers }: ReadingSettings): string {
  return `${what} does not call ${triggers.join(' or ')} outside of code, quotes and links`
}

export function subjectOf(issue: Issue, isPull: boolean): Subject {
  return {
    number: issue.number,
    isPull,
    title: issue.title,
    body: issue.body,
    author: issue.user.login,
    locked: issue.locked ?? false,
    state: issue.state,
    ...(issue.created_at !== '' && { createdAt: issue.created_at }),
  }
}

export function headOf({ head }: Pull): EventHead {
  return { sha: head.sha, ref: head.ref, repository: head.repo }
}

export function repositoryOf({ repository }: Common, settings: ReadingSettings): Repository {
  if (!repository) return settings.repository
  return {
    owner: repository.owner.login,
    name: repository.name,
    ...(repository.default_branch !== undefined && { defaultBranch: repository.default_branch }),
    ...(repository.private !== undefined && { private: repository.private }),
  }
}
