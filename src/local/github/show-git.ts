import type { RestContext } from './context.ts'
import type { DiffFile } from './diff.ts'
import { nodeId } from './links.ts'

/** Git objects as REST writes them. */

export interface CommitFacts {
  readonly sha: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  readonly author: { readonly name: string; readonly email: string; readonly date: string }
  readonly committer: { readonly name: string; readonly email: string; readonly date: string }
}

const format = '%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B'
const date = (seconds: string) => new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, 'Z')

export async function commitFacts({ git }: RestContext, repository: string, sha: string): Promise<CommitFacts> {
  const text = await git(repository, ['show', '--no-patch', `--format=${format}`, sha])
  const [id = '', tree = '', parents = '', an = '', ae = '', at = '', cn = '', ce = '', ct = '', ...body] = text.split('\0')
  return {
    sha: id,
    tree,
    parents: parents.split(' ').filter((parent) => parent !== ''),
    message: body.join('\0').replace(/\n+$/, ''),
    author: { name: an, email: ae, date: date(at) },
    committer: { name: cn, email: ce, date: date(ct) },
  }
}

/** Commits that GitHub made for an app are signed by it, others are not. */
const verification = ({ state }: RestContext, facts: CommitFacts) => {
  const signed = state.signed.has(facts.sha)
  return {
    verified: signed,
    reason: signed ? 'valid' : 'unsigned',
    signature: signed ? '-----BEGIN PGP SIGNATURE-----' : null,
    payload: signed ? `tree ${facts.tree}` : null,
    verified_at: signed ? facts.committer.date : null,
  }
}

const parentsOf = ({ urls }: RestContext, repository: string, facts: CommitFacts, path: string) =>
  facts.parents.map((sha) => ({ sha, url: `${urls.api}/repos/${repository}${path}/${sha}`, html_url: `${urls.html}/${repository}/commit/${sha}` }))

/** A commit as the repository's routes show it. */
export async function commitJson(context: RestContext, repository: string, sha: string): Promise<object> {
  const facts = await commitFacts(context, repository, sha)
  const api = `${context.urls.api}/repos/${repository}`
  return {
    url: `${api}/commits/${sha}`,
    sha,
    node_id: Buffer.from(`C:${sha}`).toString('base64url'),
    html_url: `${context.urls.html}/${repository}/commit/${sha}`,
    comments_url: `${api}/commits/${sha}/comments`,
    commit: {
      url: `${api}/git/commits/${sha}`,
      author: facts.author,
      committer: facts.committer,
      message: facts.message,
      comment_count: 0,
      tree: { sha: facts.tree, url: `${api}/git/trees/${facts.tree}` },
      verification: verification(context, facts),
    },
    author: null,
    committer: null,
    parents: parentsOf(context, repository, facts, '/commits'),
  }
}

/** A commit as the Git data API shows it. */
export async function gitCommitJson(context: RestContext, repository: string, sha: string): Promise<object> {
  const facts = await commitFacts(context, repository, sha)
  const api = `${context.urls.api}/repos/${repository}`
  return {
    sha,
    node_id: Buffer.from(`C:${sha}`).toString('base64url'),
    url: `${api}/git/commits/${sha}`,
    html_url: `${context.urls.html}/${repository}/commit/${sha}`,
    author: facts.author,
    committer: facts.committer,
    message: facts.message,
    tree: { sha: facts.tree, url: `${api}/git/trees/${facts.tree}` },
    parents: parentsOf(context, repository, facts, '/git/commits'),
    verification: verification(context, facts),
  }
}

export function refJson({ urls, state }: RestContext, repository: string, ref: string, sha: string): object {
  const api = `${urls.api}/repos/${repository}/git`
  return { ref, node_id: nodeId(`REF:${ref}`, state.id), url: `${api}/${ref}`, object: { type: 'commit', sha, url: `${api}/commits/${sha}` } }
}

const statuses = { ADDED: 'added', CHANGED: 'changed', COPIED: 'copied', DELETED: 'removed', MODIFIED: 'modified', RENAMED: 'renamed' } as const

/** A file of a diff; `head` is the commit it is shown at. */
export function diffJson({ urls }: RestContext, repository: string, head: string, file: DiffFile): object {
  const path = file.path.split('/').map(encodeURIComponent).join('/')
  return {
    sha: file.sha,
    filename: file.path,
    status: statuses[file.change],
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${urls.html}/${repository}/blob/${head}/${path}`,
    raw_url: `${urls.html}/${repository}/raw/${head}/${path}`,
    contents_url: `${urls.api}/repos/${repository}/contents/${path}?ref=${head}`,
    ...(file.patch === undefined ? {} : { patch: file.patch }),
    ...(file.previous === undefined ? {} : { previous_filename: file.previous }),
  }
}
