import type { Octokit } from '@octokit/rest'
import { z } from 'zod'
import { limits } from '../limits.ts'
import { GitHubError } from './errors.ts'
import type { Gateway } from './gateway.ts'
import { clockSkew } from './persist.ts'
import type { Connection, Watch, WatchedComment } from './types.ts'

/** One kind of comment, seen page by page; each page is asked for again only if it changed. */
interface Row {
  readonly kind: WatchedComment['kind']
  readonly pages: { etag: string | undefined; comments: readonly WatchedComment[] }[]
}

const pageSize = 100

/**
 * A watch over what is written under an issue or PR from now on. GitHub lists comments oldest first, so only those are asked for
 * that were made or edited since a while before the watch began, by conditional requests: long enough to see every run that may still live.
 */
export function watch(gateway: Gateway, { owner, repo }: Connection, number: number, isPull: boolean): Watch {
  const since = new Date(Date.now() - limits.claimSilence - clockSkew).toISOString()
  const rows: readonly Row[] = [{ kind: 'comment', pages: [] }, ...(isPull ? [{ kind: 'review-comment' as const, pages: [] }] : [])]

  const shapes = { comment: commentsOf('comment'), 'review-comment': commentsOf('review-comment') }

  const request = ({ rest }: Octokit, kind: Row['kind'], page: number, etag: string | undefined) => {
    const query = { owner, repo, since, page, per_page: pageSize, headers: etag === undefined ? {} : { 'if-none-match': etag } }
    return kind === 'comment'
      ? rest.issues.listComments({ ...query, issue_number: number })
      : rest.pulls.listReviewComments({ ...query, pull_number: number, sort: 'created', direction: 'asc' })
  }

  /** Something came that was not handed out yet, perhaps in a look that failed after it. */
  let isChanged = false

  /** A full page that did not change can be followed by a new one. */
  const lookAt = async ({ kind, pages }: Row): Promise<void> => {
    for (let index = 0; ; index++) {
      const known = pages[index]
      const call = { action: `look for new comments on #${number}`, permission: 'issues: read` and `pull-requests: read', shape: shapes[kind] }
      try {
        const { data, header } = await gateway.answer(call, (octokit) => request(octokit, kind, index + 1, known?.etag))
        pages[index] = { etag: header('etag'), comments: data }
        isChanged = true
      } catch (error) {
        if (!(error instanceof GitHubError) || error.status !== 304) throw error
      }
      if ((pages[index]?.comments.length ?? 0) < pageSize) {
        pages.length = index + 1
        return
      }
    }
  }

  return {
    async look() {
      await Promise.all(rows.map(lookAt))
      if (!isChanged) return undefined
      isChanged = false
      return rows.flatMap(({ pages }) => pages.flatMap(({ comments }) => comments)).sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))
    },
  }
}

const commentsOf = (kind: WatchedComment['kind']) =>
  z.array(
    z
      .object({
        id: z.number(),
        html_url: z.string(),
        body: z.string().nullish(),
        created_at: z.string(),
        updated_at: z.string(),
        user: z.object({ login: z.string(), type: z.string().optional() }).nullish(),
      })
      .transform(
        ({ id, html_url, body, created_at, updated_at, user }): WatchedComment => ({
          kind,
          id,
          author: { login: user?.login ?? 'ghost', isBot: user?.type === 'Bot' },
          body: body ?? '',
          createdAt: created_at,
          updatedAt: updated_at,
          url: html_url,
        }),
      ),
  )
