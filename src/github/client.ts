import { z } from 'zod'
import { findOwnComment, readDiscussion, readRepository } from './discussion.ts'
import { GitHubError, NoCommitsError } from './errors.ts'
import { type Call, type Gateway, type GatewayOptions, openGateway } from './gateway.ts'
import type { Connection, GitHub, Permission, PostedComment, PullRequest } from './types.ts'

const Posted = z.object({ id: z.number(), html_url: z.string() }).transform(({ id, html_url }): PostedComment => ({ id, url: html_url }))
const Reaction = z.object({ id: z.number() })
const Pull = z.object({ number: z.number(), html_url: z.string() }).transform(({ number, html_url }): PullRequest => ({ number, url: html_url }))
const Level = z.object({ permission: z.string(), role_name: z.string().optional() })

const comments = { permission: 'issues: write` and, on pull requests, `pull-requests: write' }
const pulls = { permission: 'pull-requests: write' }
/** How far the runner's clock may differ from GitHub's, in ms. */
const clockSkew = 120_000

/** The gateway to one repository. Nothing is sent or loaded before the first call. */
export function connect(connection: Connection, options: GatewayOptions = {}): GitHub {
  const gateway = openGateway(connection, options)
  const { owner, repo } = connection
  const at = { owner, repo }

  const findPull = async (head: string, base?: string): Promise<PullRequest | undefined> => {
    const call = { action: `look for the pull request of ${head}`, permission: 'pull-requests: read', shape: z.array(Pull) }
    // Without the owner GitHub ignores the filter and answers with everything (C126).
    const query = { ...at, head: `${owner}:${head}`, state: 'open' as const, ...(base === undefined ? {} : { base }) }
    const [found] = await gateway.rest(call, ({ rest }) => rest.pulls.list(query))
    return found
  }

  return {
    permission: (login) => permissionOf(gateway, connection, login),
    repository: () => readRepository(gateway, connection),
    discussion: (number) => readDiscussion(gateway, connection, number),

    createComment(number, body) {
      const call = { action: `post a comment on #${number}`, ...comments, shape: Posted, write: true, once: true }
      const since = Date.now() - clockSkew
      return persist(
        gateway,
        () => gateway.rest(call, ({ rest }) => rest.issues.createComment({ ...at, issue_number: number, body })),
        () => findOwnComment(gateway, connection, number, body, since),
      )
    },
    updateComment(id, body) {
      const call = { action: `edit comment ${id}`, ...comments, shape: Posted, write: true }
      return gateway.rest(call, ({ rest }) => rest.issues.updateComment({ ...at, comment_id: id, body }))
    },
    deleteComment(id) {
      const call = { action: `delete comment ${id}`, ...comments, shape: z.unknown(), write: true }
      return gone(gateway.rest(call, ({ rest }) => rest.issues.deleteComment({ ...at, comment_id: id })))
    },

    async react(target) {
      const call = { action: `set a reaction on ${nameOf(target)}`, ...comments, shape: Reaction, write: true }
      const eyes = { ...at, content: 'eyes' as const }
      const reaction = await gateway.rest(call, ({ rest }) =>
        'comment' in target
          ? rest.reactions.createForIssueComment({ ...eyes, comment_id: target.comment })
          : rest.reactions.createForIssue({ ...eyes, issue_number: target.issue }),
      )
      return reaction.id
    },
    unreact(target, reaction) {
      const call = { action: `remove the reaction from ${nameOf(target)}`, ...comments, shape: z.unknown(), write: true }
      return gone(
        gateway.rest(call, ({ rest }) =>
          'comment' in target
            ? rest.reactions.deleteForIssueComment({ ...at, comment_id: target.comment, reaction_id: reaction })
            : rest.reactions.deleteForIssue({ ...at, issue_number: target.issue, reaction_id: reaction }),
        ),
      )
    },

    createPull(input) {
      const call = { action: `open a pull request from ${input.head} to ${input.base}`, ...pulls, shape: Pull, write: true, once: true }
      return persist(
        gateway,
        () => openPull(gateway, call, { ...at, ...input }, findPull),
        () => findPull(input.head, input.base),
      )
    },
    findPull,
    get requests() {
      return gateway.requests
    },
  }
}

async function permissionOf(gateway: Gateway, { owner, repo }: Connection, login: string): Promise<Permission> {
  const call = { action: `read the permission of ${login}`, permission: 'metadata: read', shape: Level }
  try {
    const level = await gateway.rest(call, ({ rest }) => rest.repos.getCollaboratorPermissionLevel({ owner, repo, username: login }))
    return { kind: 'known', permission: level.permission, role: level.role_name ?? level.permission }
  } catch (error) {
    // Everything else is no word about the person: a token that is wrong or may not ask must not pass for "nothing to do".
    if (!(error instanceof GitHubError) || error.kind !== 'missing') throw error
    return { kind: 'unknown', reason: `${login} is no collaborator of ${owner}/${repo}` }
  }
}

type NewPull = Parameters<GitHub['createPull']>[0] & { owner: string; repo: string }

async function openPull(gateway: Gateway, call: Call<PullRequest>, input: NewPull, find: GitHub['findPull']): Promise<PullRequest> {
  try {
    return await gateway.rest(call, ({ rest }) => rest.pulls.create(input))
  } catch (error) {
    if (!(error instanceof GitHubError) || error.kind !== 'invalid') throw error
    if (/no commits between/i.test(error.said))
      throw new NoCommitsError(error.message, `Everything on ${input.head} is on ${input.base} already, so there is nothing to merge.`, error)
    const existing = /pull request already exists/i.test(error.said) ? await find(input.head, input.base) : undefined
    if (existing) return existing
    throw error
  }
}

/**
 * Makes something that must not be made twice: when the answer got lost, looks whether it is there before trying again (C125).
 * Throws `GitHubError` after four tries.
 */
async function persist<T>(gateway: Gateway, create: () => Promise<T>, arrived: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await create()
    } catch (error) {
      if (!(error instanceof GitHubError) || (error.kind !== 'network' && error.kind !== 'server') || attempt > 3) throw error
      await gateway.pause(attempt ** 2)
      const there = await arrived()
      if (there) return there
    }
  }
}

/** What is gone already needs no removing (C131). */
async function gone(removal: Promise<unknown>): Promise<void> {
  try {
    await removal
  } catch (error) {
    if (!(error instanceof GitHubError) || error.kind !== 'missing') throw error
  }
}

const nameOf = (target: { comment: number } | { issue: number }): string => ('comment' in target ? `comment ${target.comment}` : `#${target.issue}`)
