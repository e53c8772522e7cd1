import type { Account } from './state.ts'

/** The many addresses that hang on an account and a repository. */

export interface Urls {
  /** The server as a browser sees it, without a slash at the end. */
  readonly html: string
  /** Base of the REST API. */
  readonly api: string
  /** Where attachments and logs are handed out: another host, which must not see the token. */
  readonly files: string
}

/** An id for `node_id`: opaque to clients. */
export const nodeId = (kind: string, id: number): string => Buffer.from(`${kind}:${id}`).toString('base64url')

/** An account as REST writes it. */
export function userJson({ login, id, type }: Account, urls: Urls): object {
  const url = `${urls.api}/users/${encodeURIComponent(login)}`
  return {
    login,
    id,
    node_id: nodeId(type, id),
    avatar_url: `${urls.html}/avatars/u/${id}`,
    gravatar_id: '',
    url,
    html_url: type === 'Bot' ? `${urls.html}/apps/${login.replace(/\[bot\]$/, '')}` : `${urls.html}/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type,
    site_admin: false,
  }
}

/** The link fields of a repository: name of the field, and what follows the repository's own URL. */
export function repositoryUrls(url: string): Record<string, string> {
  const tails = {
    archive: '/{archive_format}{/ref}',
    assignees: '/assignees{/user}',
    blobs: '/git/blobs{/sha}',
    branches: '/branches{/branch}',
    collaborators: '/collaborators{/collaborator}',
    comments: '/comments{/number}',
    commits: '/commits{/sha}',
    compare: '/compare/{base}...{head}',
    contents: '/contents/{+path}',
    contributors: '/contributors',
    deployments: '/deployments',
    downloads: '/downloads',
    events: '/events',
    forks: '/forks',
    git_commits: '/git/commits{/sha}',
    git_refs: '/git/refs{/sha}',
    git_tags: '/git/tags{/sha}',
    hooks: '/hooks',
    issue_comment: '/issues/comments{/number}',
    issue_events: '/issues/events{/number}',
    issues: '/issues{/number}',
    keys: '/keys{/key_id}',
    labels: '/labels{/name}',
    languages: '/languages',
    merges: '/merges',
    milestones: '/milestones{/number}',
    notifications: '/notifications{?since,all,participating}',
    pulls: '/pulls{/number}',
    releases: '/releases{/id}',
    stargazers: '/stargazers',
    statuses: '/statuses/{sha}',
    subscribers: '/subscribers',
    subscription: '/subscription',
    tags: '/tags',
    teams: '/teams',
    trees: '/git/trees{/sha}',
  }
  return Object.fromEntries(Object.entries(tails).map(([name, tail]) => [`${name}_url`, `${url}${tail}`]))
}
