/** The checkout as the rest of the action sees it: who we are to git, where work starts, what changed, what was published. */

export interface Remote {
  /** `https://HOST/OWNER/REPO.git`, built from the server URL; no host is written in the code. */
  readonly url: string
  readonly token: string
}

export interface Identity {
  readonly name: string
  readonly email: string
}

/** What work can start from: a branch of the remote by its name, or the head of a pull request wherever its branch is (C90, C91, C92). */
export type Source = string | { readonly pull: number }

/** A branch that is pushed to; `repository` (`owner/name`) is that of a fork, without it the branch is the remote's own. */
export interface Target {
  readonly branch: string
  readonly repository?: string
}

/** Where a run begins: the commit the model starts from, and the tree as it was then, dirt included. */
export interface Start {
  readonly commit: string
  readonly tree: string
}

export interface Change {
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted'
}

/** What the agent did since the start, as a tree that grows from `parent` without what was dirty before. */
export interface Changes {
  readonly files: readonly Change[]
  /** HEAD now: the start, or the last commit the model made by itself. */
  readonly parent: string
  /** The tree to commit; equal to the parent's tree when every change is committed already. */
  readonly tree: string
  /** Nothing to publish: no file differs and no commit was made. */
  readonly none: boolean
  /** Sentences for people about what was left out (nested repositories, dirt that could not be separated). */
  readonly warnings: readonly string[]
}

/** What a branch has to be for a push to it: not there yet, or at this commit, which the pushed one grows from. */
export type Expect = 'absent' | { readonly tip: string }

export type Pushed =
  | { readonly kind: 'pushed' }
  /** The branch is not what was expected: there already, moved on, or gone. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly reason: string }

/** Commits made anew on a branch that has moved. */
export type Replayed =
  /** `commit` is the tip itself when the branch has all of it already. */
  | { readonly kind: 'replayed'; readonly commit: string; readonly tip: string }
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  | { readonly kind: 'gone' }

/** What a push has changed on a branch: its tip before and after. */
export interface Step {
  readonly from: string
  readonly to: string
}

/** A commit that takes back what was pushed before; `nothing` when the branch holds none of it any more. */
export type Reverted = Replayed | { readonly kind: 'nothing' }

/** One path that differs between two commits: what it is now, or a null id where it was removed. */
export interface Delta {
  readonly path: string
  readonly mode: '100644' | '100755' | '120000' | '160000'
  readonly id: string | null
}

/** Edits as a patch that can be stored as text: `git apply` makes the same tree from `commit`. */
export interface Edits {
  readonly commit: string
  readonly files: readonly Change[]
  /** Left out when it is longer than the limit. */
  readonly patch: string | undefined
  /** Size of the whole patch. */
  readonly bytes: number
}

/** How much of a stored patch came back into the work tree. */
export interface Applied {
  readonly files: readonly Change[]
  /** Files whose edits do not fit on what is there now; they were left as they are. */
  readonly failed: readonly string[]
}

/** A file of a committed tree. */
export interface TreeFile {
  readonly size: number
  /** Left out when the file has more than `limits.treeFileBytes`. */
  readonly bytes?: Buffer
}

/**
 * The files of a commit, read through git: nothing in the work tree changes what is seen here. Paths are relative to the top level, with `/`.
 * Links count as the file or folder of the same tree that they lead to; those that lead elsewhere, and submodules, are not there.
 */
export interface Tree {
  readonly commit: string
  /** The files that are, or lie below, one of the paths, sorted; without paths all of them. */
  list(paths?: readonly string[]): Promise<readonly string[]>
  /** Files by path; what is no file is left out. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, TreeFile>>
}

export interface Workspace {
  /** Real path of the repository's top level. */
  readonly root: string
  /**
   * Puts the tip of a branch of the remote, or of a pull request, into the work tree and notes the state. `at` is a commit to take in its place, which
   * must be part of it. Throws `WorkspaceError` when the branch is gone, `at` is not part of it, or local edits are in the way.
   */
  start(source: Source, options?: { readonly at?: string }): Promise<Start>
  /** `isSecret` tells whether a text holds a secret: files that would publish one are left out. */
  changes(start: Start, isSecret?: (text: string) => boolean): Promise<Changes>
  /** The same changes as one step from the start, without the commits that led there and without the paths that are unwanted. */
  squash(start: Start, changes: Changes, unwanted?: (path: string) => boolean): Promise<Changes>
  /** Commits `changes.tree` on `changes.parent`; the result is the parent itself when there is nothing to add. */
  commit(changes: Changes, message: string): Promise<string>
  /** Pushes a commit to a branch. Never forces, and never creates a branch that was expected to be there (C108). */
  push(commit: string, target: Target, expect: Expect): Promise<Pushed>
  /** Deletes a branch of the remote that is still at this commit. */
  drop(commit: string, branch: string): Promise<Pushed>
  /** Fetches a branch and makes the commits that lead from `base` to `commit` anew on its tip: only those, so nothing that was dropped comes back (C107). */
  replay(step: { readonly base: string; readonly commit: string }, onto: Target): Promise<Replayed>
  /** A commit on the tip of a branch that takes back exactly what these steps changed. Throws `WorkspaceError` when the remote does not answer. */
  revert(steps: readonly Step[], on: Target, message: string): Promise<Reverted>
  /** What differs between two commits that are here, and the tree of the first. */
  delta(from: string, to: string): Promise<{ readonly tree: string; readonly entries: readonly Delta[] }>
  /** Writes the files of a commit that is here below a folder outside the work tree. */
  copy(commit: string, folder: string): Promise<void>
  /** The bytes of a blob that is here. */
  blob(id: string): Promise<Buffer>
  /** Writes everything since the start as a binary-safe patch file; returns its text when it is at most `limit` characters. */
  patch(start: Start, changes: Changes, file: string, limit: number): Promise<{ readonly text: string | undefined; readonly bytes: number }>
  /** Everything since the start as a patch of at most `limit` characters; undefined when there is nothing. Cheap enough to ask again and again. */
  edits(start: Start, limit: number): Promise<Edits | undefined>
  /** Puts a stored patch back into the work tree, merged with what changed since. Files that can't be merged are named and left alone. */
  apply(stored: { readonly commit: string; readonly patch: string }): Promise<Applied>
  /**
   * A branch of the remote as it is committed there, for what may be trusted; the work tree stays as it is. `tip` is its commit where that is known
   * and here already (`Start.commit`), which spares asking the remote. Not while `start` runs. Throws `WorkspaceError` when the branch is gone.
   */
  tree(branch: string, tip?: string): Promise<Tree>
  /** Names of recently changed files, newest first. */
  recentFiles(count: number): Promise<readonly string[]>
}
