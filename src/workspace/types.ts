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

export type Pushed =
  | { readonly kind: 'pushed' }
  /** The branch was there already (a new name is needed) or moved on since we read it. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly reason: string }

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
  /** Puts the tip of a branch of the remote into the work tree and notes the state. Throws `WorkspaceError` when the branch is gone or local edits are in the way. */
  start(branch: string): Promise<Start>
  changes(start: Start): Promise<Changes>
  /** Commits `changes.tree` on `changes.parent`; the result is the parent itself when there is nothing to add. */
  commit(changes: Changes, message: string): Promise<string>
  /** Pushes a commit to a branch. `expect: 'absent'` refuses to touch a branch that exists. Never forces. */
  push(commit: string, branch: string, expect: 'absent' | 'fast-forward'): Promise<Pushed>
  /** Writes everything since the start as a binary-safe patch file; returns its text when it is at most `limit` characters. */
  patch(start: Start, changes: Changes, file: string, limit: number): Promise<{ readonly text: string | undefined; readonly bytes: number }>
  /**
   * A branch of the remote as it is committed there, for what may be trusted; the work tree stays as it is. `tip` is its commit where that is known
   * and here already (`Start.commit`), which spares asking the remote. Not while `start` runs. Throws `WorkspaceError` when the branch is gone.
   */
  tree(branch: string, tip?: string): Promise<Tree>
  /** Names of recently changed files, newest first. */
  recentFiles(count: number): Promise<readonly string[]>
}
