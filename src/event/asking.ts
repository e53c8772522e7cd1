import type { Asking, Trigger } from './trigger.ts'

/** A request that somebody wrote down. */
export interface Asked {
  /** What it is known by, so that nobody is answered twice (C14): `comment:1`, `review-comment:2`, `review:3`, `subject:4`. */
  readonly key: string
  /** When it was written, as GitHub says it. */
  readonly at: string | undefined
  /** The comment, remark or review; left out when the issue or pull request itself asks. */
  readonly asking?: Asking
}

/** Who asked for a run in writing, and where; undefined for an event that nobody wrote. */
export function askingOf(trigger: Trigger): Asked | undefined {
  switch (trigger.event) {
    case 'issue_comment':
      return asked('comment', trigger.comment)
    case 'pull_request_review_comment':
      return asked('review-comment', trigger.comment)
    case 'pull_request_review':
      return asked('review', trigger.review)
    case 'issues':
    case 'pull_request':
    case 'pull_request_target':
      return trigger.asks ? { key: `subject:${trigger.subject.number}`, at: trigger.subject.createdAt } : undefined
    default:
      return undefined
  }
}

function asked(kind: string, asking: Asking): Asked {
  return { key: `${kind}:${asking.id}`, at: asking.createdAt || undefined, asking }
}

/** The issue or pull request that a run speaks to: its event's own, else the one that the input `target` names; undefined when there is none. */
export function numberOf(trigger: Trigger, settings: { readonly target?: number }): number | undefined {
  if ('subject' in trigger) return trigger.subject.number
  return (trigger.event === 'workflow_run' ? trigger.pull : undefined) ?? settings.target
}
