import { adviceOf } from '../failure.ts'
import type { GitHub, PullRequest } from '../github/types.ts'
import type { Change } from '../workspace/types.ts'
import { byApi, byGit } from './deliver.ts'
import { climb, type Ground, type Rung, type Why } from './ladder.ts'
import type { Destination } from './plan.ts'
import { type NewPull, type PullMode, showPull } from './pull.ts'
import { isWorkflow } from './refusal.ts'

/** Edits as a file, and as text when they are short. */
export interface Patch {
  readonly path: string
  readonly text: string | undefined
  readonly bytes: number
}

/** Where the work of a run ended up, and how. */
export interface Landing {
  /**
   * `branch`: where it was meant to be; `replayed`: there, made anew on what others had pushed meanwhile; `aside`: on a new branch beside the one that
   * did not take it; `patch`: nowhere on the remote.
   */
  readonly rung: 'branch' | 'replayed' | 'aside' | 'patch'
  /** Whether this is what the settings and the thread ask for; false when something was refused. */
  readonly wanted: boolean
  /** Absent with `patch`, as are the two below. */
  readonly branch?: string
  readonly commit?: string
  /** The tip of the branch before. */
  readonly from?: string
  /** The fork (`owner/name`) whose branch it is; without it the branch is of this repository. */
  readonly repository?: string
  /** The branch that did not take it and is still there, for `aside`. */
  readonly beside?: string
  /** What is in the commit, or in the patch. */
  readonly files: readonly Change[]
  readonly pull?: PullRequest & { readonly operation: 'created' | 'updated' }
  /** Address where the branch can be compared and a pull request opened. */
  readonly compare?: string
  readonly patch?: Patch
  /** Why it is not all where it was meant to be. */
  readonly why?: Why
  /** Why no pull request shows it, where one was meant to. */
  readonly noPull?: Why
  /** Sentences for people. */
  readonly notes: readonly string[]
}

/** What is published. */
export interface Work extends Omit<Ground, 'deliver'> {
  readonly github: GitHub
  readonly destination: Destination
  readonly method: 'git' | 'api'
  readonly mode: PullMode
  /** The pull request whose head is changed. */
  readonly open?: PullRequest | undefined
  /** The pull request to open when the branch has none. */
  readonly pull: NewPull
  /** Address of the repository, for people. */
  readonly repositoryUrl: string
  /** Where a patch goes, and how many characters of one a comment may show. */
  readonly patch: { readonly file: string; readonly limit: number }
}

/**
 * Commits what the agent changed, brings it to its branch or as near as the remote lets it (ladder.ts), and sees to it that a pull request or a link
 * shows it. What can't be pushed becomes a patch. Undefined when the remote turned out to have all of it already (C127). Throws `PublishError` when
 * stopped, and `WorkspaceError` when the checkout is broken; a remote that refuses is an answer.
 */
export async function publishChanges(work: Work): Promise<Landing | undefined> {
  const { destination, mode } = work
  if (destination.kind === 'nowhere') return patchOnly(work, { reason: destination.why, hint: 'Whoever may push there can apply the patch.' })
  if (destination.kind === 'new' && mode === 'never') return patchOnly(work)
  const { workspace, github, message } = work
  const rung = await climb({ ...work, deliver: work.method === 'api' ? byApi(workspace, github, message) : byGit(workspace) }, destination)
  if (rung.kind === 'none') return { ...(await patchOnly(work, rung.why)), wanted: false }
  const landing = landingOf(rung)
  const shown = await show(work, destination, rung)
  if (shown === 'nothing') {
    // A branch without anything on it helps nobody.
    await workspace.drop(rung.commit, rung.target.branch)
    return undefined
  }
  const whole = rung.changes === work.changes ? {} : await remainder(work, rung)
  const notes = [...landing.notes, ...(shown.notes ?? []), ...(whole.notes ?? [])]
  // A new pull request in place of one that ended is all that can be wished for (C108).
  const inPlace = rung.kind === 'aside' && rung.gone
  return { ...landing, ...shown, ...whole, wanted: (landing.why === undefined || inPlace) && shown.noPull === undefined, notes }
}

/** Leaves the work as a patch and touches no remote. `why` is for people; without one this is what is wanted. */
export async function patchOnly({ workspace, start, changes, patch }: Pick<Work, 'workspace' | 'start' | 'changes' | 'patch'>, why?: Why): Promise<Landing> {
  const landing = { rung: 'patch', wanted: true, files: changes.files, ...(why ? { why } : {}) } as const
  try {
    const written = await workspace.patch(start, changes, patch.file, patch.limit)
    return { ...landing, patch: { path: patch.file, ...written }, notes: [] }
  } catch (error) {
    // Whatever goes wrong here, people are to hear of the refusal before it (C137).
    return { ...landing, wanted: false, notes: [`The edits could not be written to a patch: ${adviceOf(error)}`] }
  }
}

function landingOf(rung: Exclude<Rung, { kind: 'none' }>): Landing & { readonly branch: string } {
  const { target, commit, from, changes, notes } = rung
  return {
    rung: rung.kind === 'aside' ? 'aside' : rung.replayed ? 'replayed' : 'branch',
    wanted: true,
    branch: target.branch,
    ...(target.repository === undefined ? {} : { repository: target.repository }),
    commit,
    from,
    files: changes.files,
    ...(rung.why ? { why: rung.why } : {}),
    notes,
  }
}

type Showing = Pick<Landing, 'pull' | 'compare' | 'beside' | 'noPull'> & { readonly notes?: readonly string[] }

/** What shows the branch: the pull request it is the head of, another one, or a link. */
async function show(work: Work, destination: Exclude<Destination, { kind: 'nowhere' }>, rung: Exclude<Rung, { kind: 'none' }>): Promise<Showing | 'nothing'> {
  const { github, mode, open, pull, repositoryUrl } = work
  const { branch } = rung.target
  if (rung.kind === 'branch' && open) return { pull: { ...open, operation: 'updated' } }
  // Beside a branch that is still there the work is meant for that branch, and its owner decides.
  const besideIt = rung.kind === 'aside' && !rung.gone && destination.kind === 'existing'
  const base = besideIt ? destination.target.branch : destination.base
  const compare = `${repositoryUrl}/compare/${inAddress(base)}...${inAddress(branch)}?expand=1`
  if (besideIt) return { compare, beside: base }
  const isNew = rung.kind === 'aside' || destination.kind === 'new'
  const shown = await showPull(github, { ...pull, head: branch, base }, mode, isNew)
  if (shown.kind === 'pull') return { pull: shown.pull, notes: shown.notes }
  if (shown.kind === 'none') return { compare, ...(shown.why ? { noPull: shown.why } : {}) }
  return isNew ? 'nothing' : { notes: [`\`${branch}\` has nothing any more that \`${base}\` has not.`] }
}

/** What stayed behind of work that was published in part: the whole as a patch, and which files are only there. */
async function remainder(work: Work, { changes }: Exclude<Rung, { kind: 'none' }>): Promise<Pick<Landing, 'patch'> & { readonly notes?: readonly string[] }> {
  const left = work.changes.files.filter(({ path }) => isWorkflow(path) && !changes.files.some((file) => file.path === path))
  if (left.length === 0) return {}
  const { patch, notes } = await patchOnly(work)
  const names = left.map(({ path }) => `\`${path}\``).join(', ')
  return {
    ...(patch ? { patch } : {}),
    notes: [`Left out, since the token may not change workflow files: ${names}. The patch holds all of the work.`, ...notes],
  }
}

function inAddress(branch: string): string {
  return branch.split('/').map(encodeURIComponent).join('/')
}
