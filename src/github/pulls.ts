import { z } from 'zod'
import { GitHubError, NoCommitsError } from './errors.ts'
import type { Call, Gateway } from './gateway.ts'
import { persist, unless } from './persist.ts'
import type { Connection, DiffFile, GitHub, PullRequest } from './types.ts'

const Pull = z.object({ number: z.number(), html_url: z.string() }).transform(({ number, html_url }): PullRequest => ({ number, url: html_url }))
const diffFiles = () =>
  z.array(
    z
      .object({ filename: z.string(), previous_filename: z.string().optional(), status: z.string(), patch: z.string().optional() })
      .transform((file): DiffFile => ({ path: file.filename, previousPath: file.previous_filename, status: file.status, patch: file.patch })),
  )

const writable = { permission: 'pull-requests: write', write: true }
const readable = { permission: 'pull-requests: read' }

/** Files that GitHub lists of one pull request at the most. */
const mostFiles = 3000

type Pulls = Pick<GitHub, 'createPull' | 'findPull' | 'pullState' | 'pullFiles' | 'compare'>

/** Pull requests and what they change. */
export function pulls(gateway: Gateway, { owner, repo }: Connection): Pulls {
  const at = { owner, repo }

  const findPull = async (head: string, base?: string): Promise<PullRequest | undefined> => {
    const call = { action: `look for the pull request of ${head}`, ...readable, shape: z.array(Pull) }
    // Without the owner GitHub ignores the filter and answers with everything (C126).
    const query = { ...at, head: `${owner}:${head}`, state: 'open' as const, ...(base === undefined ? {} : { base }) }
    const [found] = await gateway.rest(call, ({ rest }) => rest.pulls.list(query))
    return found
  }

  return {
    createPull(input) {
      const call = { action: `open a pull request from ${input.head} to ${input.base}`, ...writable, shape: Pull, once: true }
      return persist(
        gateway,
        () => openPull(gateway, call, { ...at, ...input }, findPull),
        () => findPull(input.head, input.base),
      )
    },
    findPull,

    async pullState(number) {
      const shape = z.object({ state: z.enum(['open', 'closed']), merged: z.boolean(), head: z.object({ ref: z.string() }) })
      const call = { action: `read the state of #${number}`, ...readable, shape }
      const pull = await gateway.rest(call, ({ rest }) => rest.pulls.get({ ...at, pull_number: number }))
      return { state: pull.merged ? 'MERGED' : pull.state === 'open' ? 'OPEN' : 'CLOSED', headRef: pull.head.ref }
    },
    pullFiles(number) {
      const call = { action: `read the diff of #${number}`, ...readable, shape: diffFiles() }
      return gateway.list(call, ({ rest }, page) => rest.pulls.listFiles({ ...at, pull_number: number, ...page }), mostFiles)
    },
    async compare(base, head) {
      const call = { action: `compare ${base} with ${head}`, permission: 'contents: read', shape: z.object({ files: diffFiles().optional() }) }
      // The pages are those of the commits, which are not wanted; the files all come with the first, 300 at the most.
      const query = { ...at, basehead: `${base}...${head}`, per_page: 1 }
      const found = await unless(
        ['missing'],
        gateway.rest(call, ({ rest }) => rest.repos.compareCommitsWithBasehead(query)),
      )
      return found && (found.files ?? [])
    },
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
