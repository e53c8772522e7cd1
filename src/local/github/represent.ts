import { nodeId, repositoryUrls, type Urls, userJson } from './links.ts'
import type { Diff } from './repository.ts'
import { account, association, type Reaction, reactionKinds, type State, type Thread, type ThreadComment } from './state.ts'

/** State as REST and webhooks write it. Field lists follow GitHub's OpenAPI description and webhook schemas. */

export interface Represent {
  user(login: string): object
  /** `fullName` names a fork. */
  repository(fullName?: string): object
  fullRepository(fullName?: string): object
  label(name: string): object
  reaction(reaction: Reaction): object
  comment(thread: Thread, comment: ThreadComment): object
  issue(thread: Thread): object
  pullSimple(thread: Thread, diff: Diff): object
  pull(thread: Thread, diff: Diff): object
  htmlUrl(thread: Thread, comment?: ThreadComment): string
  reactions(reactions: readonly Reaction[], url: string): object
}

/** Representations of one repository's state. */
export function represent(state: State, urls: Urls): Represent {
  const repoUrl = `${urls.api}/repos/${state.owner}/${state.repo}`
  const repoHtml = `${urls.html}/${state.owner}/${state.repo}`
  const maybeUser = (login: string | null) => (login === null ? null : user(login))
  const user = (login: string) => userJson(account(state, login), urls)
  const label = (name: string) => ({
    id: 1_000 + [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0),
    node_id: nodeId('Label', name.length),
    url: `${repoUrl}/labels/${encodeURIComponent(name)}`,
    name,
    color: 'ededed',
    default: false,
    description: null,
  })
  const htmlUrl = (thread: Thread, comment?: ThreadComment) =>
    `${repoHtml}/${thread.pull === undefined ? 'issues' : 'pull'}/${thread.number}${comment === undefined ? '' : `#issuecomment-${comment.id}`}`

  const repository = (fullName?: string) => {
    const own = ownRepository()
    if (fullName === undefined || fullName.toLowerCase() === own.full_name.toLowerCase()) return own
    const [owner = '', name = ''] = fullName.split('/')
    const url = `${urls.api}/repos/${fullName}`
    const html = `${urls.html}/${fullName}`
    const fork = { name, full_name: fullName, fork: true, owner: user(owner), url, html_url: html, clone_url: `${html}.git`, svn_url: html }
    return { ...own, ...repositoryUrls(url), ...fork }
  }
  const ownRepository = () => ({
    ...repositoryUrls(repoUrl),
    id: state.id,
    node_id: nodeId('Repository', state.id),
    name: state.repo,
    full_name: `${state.owner}/${state.repo}`,
    private: state.private,
    owner: user(state.owner),
    html_url: repoHtml,
    description: null,
    fork: false,
    url: repoUrl,
    created_at: state.createdAt,
    updated_at: state.createdAt,
    pushed_at: state.createdAt,
    git_url: `git://${urls.html.replace(/^https?:\/\//, '')}/${state.owner}/${state.repo}.git`,
    ssh_url: `git@localhost:${state.owner}/${state.repo}.git`,
    clone_url: `${repoHtml}.git`,
    svn_url: repoHtml,
    homepage: null,
    size: 0,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: true,
    has_projects: false,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    mirror_url: null,
    archived: false,
    disabled: false,
    open_issues_count: state.threads.size,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    custom_properties: {},
    visibility: state.private ? 'private' : 'public',
    forks: 0,
    open_issues: state.threads.size,
    watchers: 0,
    default_branch: state.defaultBranch,
  })

  const common = (thread: Thread, url: string) => ({
    url,
    html_url: htmlUrl(thread),
    id: thread.id,
    node_id: nodeId(thread.pull === undefined ? 'Issue' : 'PullRequest', thread.id),
    number: thread.number,
    title: thread.title,
    body: thread.body,
    user: maybeUser(thread.author),
    labels: thread.labels.map(label),
    state: thread.closedAt === null ? 'open' : 'closed',
    locked: thread.locked,
    active_lock_reason: null,
    assignee: maybeUser(thread.assignees[0] ?? null),
    assignees: thread.assignees.map(user),
    milestone: null,
    created_at: thread.createdAt,
    updated_at: thread.updatedAt,
    closed_at: thread.closedAt,
    author_association: association(state, thread.author),
    comments_url: `${repoUrl}/issues/${thread.number}/comments`,
  })

  const pullSimple = (thread: Thread, diff: Diff) => {
    const url = `${repoUrl}/pulls/${thread.number}`
    const issueUrl = `${repoUrl}/issues/${thread.number}`
    const statusesUrl = `${repoUrl}/statuses/${diff.headSha}`
    const end = (ref: string, sha: string, full: string | null) => {
      const owner = full?.split('/')[0] ?? 'unknown'
      return { label: `${owner}:${ref}`, ref, sha, user: user(owner), repo: full === null ? null : repository(full) }
    }
    const { comments_url: _, ...shared } = common(thread, url)
    return {
      ...shared,
      comments_url: `${issueUrl}/comments`,
      diff_url: `${htmlUrl(thread)}.diff`,
      patch_url: `${htmlUrl(thread)}.patch`,
      issue_url: issueUrl,
      commits_url: `${url}/commits`,
      review_comments_url: `${url}/comments`,
      review_comment_url: `${repoUrl}/pulls/comments{/number}`,
      statuses_url: statusesUrl,
      merged_at: thread.pull?.merged === true ? thread.closedAt : null,
      merge_commit_sha: thread.pull?.mergeCommit ?? null,
      requested_reviewers: [],
      requested_teams: [],
      draft: thread.pull?.draft ?? false,
      auto_merge: null,
      head: end(thread.pull?.head ?? '', diff.headSha, thread.pull?.headRepository ?? null),
      base: end(thread.pull?.base ?? '', diff.baseSha, `${state.owner}/${state.repo}`),
      _links: {
        self: { href: url },
        html: { href: htmlUrl(thread) },
        issue: { href: issueUrl },
        comments: { href: `${issueUrl}/comments` },
        review_comments: { href: `${url}/comments` },
        review_comment: { href: `${repoUrl}/pulls/comments{/number}` },
        commits: { href: `${url}/commits` },
        statuses: { href: statusesUrl },
      },
    }
  }

  return {
    user,
    repository,
    fullRepository: (fullName) => ({ ...repository(fullName), network_count: 0, subscribers_count: 0 }),
    label,
    htmlUrl,
    reactions: rollup,
    pullSimple,
    pull: (thread, diff) => ({
      ...pullSimple(thread, diff),
      merged: thread.pull?.merged ?? false,
      mergeable: null,
      mergeable_state: 'unknown',
      merged_by: null,
      rebaseable: null,
      maintainer_can_modify: thread.pull?.maintainerCanModify ?? false,
      comments: thread.comments.length,
      review_comments: thread.pull?.remarks.reduce((sum, { comments }) => sum + comments.length, 0) ?? 0,
      commits: diff.commits,
      additions: diff.additions,
      deletions: diff.deletions,
      changed_files: diff.files.length,
    }),
    reaction: (reaction) => ({
      id: reaction.id,
      node_id: nodeId('Reaction', reaction.id),
      user: user(reaction.user),
      content: reaction.content,
      created_at: reaction.createdAt,
    }),
    comment: (thread, comment) => ({
      url: `${repoUrl}/issues/comments/${comment.id}`,
      html_url: htmlUrl(thread, comment),
      issue_url: `${repoUrl}/issues/${thread.number}`,
      id: comment.id,
      node_id: nodeId('IssueComment', comment.id),
      user: maybeUser(comment.author),
      created_at: comment.createdAt,
      updated_at: comment.updatedAt,
      author_association: association(state, comment.author),
      body: comment.body,
      reactions: rollup(comment.reactions, `${repoUrl}/issues/comments/${comment.id}/reactions`),
      performed_via_github_app: null,
    }),
    issue: (thread) => {
      const url = `${repoUrl}/issues/${thread.number}`
      const pull = `${repoUrl}/pulls/${thread.number}`
      return {
        ...common(thread, url),
        repository_url: repoUrl,
        labels_url: `${url}/labels{/name}`,
        events_url: `${url}/events`,
        timeline_url: `${url}/timeline`,
        comments: thread.comments.length,
        reactions: rollup(thread.reactions, `${url}/reactions`),
        performed_via_github_app: null,
        state_reason: thread.stateReason,
        ...(thread.pull === undefined
          ? {}
          : {
              draft: thread.pull.draft,
              pull_request: {
                url: pull,
                html_url: htmlUrl(thread),
                diff_url: `${htmlUrl(thread)}.diff`,
                patch_url: `${htmlUrl(thread)}.patch`,
                merged_at: thread.pull.merged ? thread.closedAt : null,
              },
            }),
      }
    },
  }
}

/** The count of reactions that stands at whatever can have some; `url` is the list of them. */
const rollup = (reactions: readonly Reaction[], url: string) => ({
  url,
  total_count: reactions.length,
  ...Object.fromEntries(reactionKinds.map((kind) => [kind, reactions.filter((reaction) => reaction.content === kind).length])),
})
