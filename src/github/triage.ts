import { z } from 'zod'
import type { Gateway } from './gateway.ts'
import { gone } from './persist.ts'
import type { Connection, FoundIssue, GitHub } from './types.ts'

const writable = { permission: 'issues: write` and, for pull requests, `pull-requests: write', write: true, shape: z.unknown() }
const readable = { permission: 'issues: read' }

/** Characters of a search that GitHub accepts besides the qualifiers. */
const searchChars = 256

type Triage = Pick<GitHub, 'labels' | 'addLabels' | 'removeLabel' | 'assign' | 'close' | 'search'>

/** Sorting issues: labels, assignees, closing, and looking for others like them. */
export function triage(gateway: Gateway, { owner, repo }: Connection): Triage {
  const at = { owner, repo }
  return {
    async labels() {
      const call = { action: 'read the labels of the repository', ...readable, shape: z.array(z.object({ name: z.string() })) }
      const found = await gateway.list(call, ({ rest }, page) => rest.issues.listLabelsForRepo({ ...at, ...page }))
      return found.map((label) => label.name)
    },
    async addLabels(number, labels) {
      const call = { action: `label #${number}`, ...writable }
      await gateway.rest(call, ({ rest }) => rest.issues.addLabels({ ...at, issue_number: number, labels: [...labels] }))
    },
    removeLabel(number, label) {
      const call = { action: `remove the label ${label} from #${number}`, ...writable }
      return gone(gateway.rest(call, ({ rest }) => rest.issues.removeLabel({ ...at, issue_number: number, name: label })))
    },
    async assign(number, logins) {
      const call = { action: `assign #${number}`, ...writable }
      await gateway.rest(call, ({ rest }) => rest.issues.addAssignees({ ...at, issue_number: number, assignees: [...logins] }))
    },
    async close(number, reason) {
      const call = { action: `close #${number}`, ...writable }
      await gateway.rest(call, ({ rest }) => rest.issues.update({ ...at, issue_number: number, state: 'closed', state_reason: reason }))
    },
    async search(words, count) {
      const plain = plainWords(words)
      if (plain === '') return []
      const call = { action: 'search the issues of the repository', ...readable, shape: found() }
      const query = { q: `${plain} repo:${owner}/${repo}`, per_page: Math.min(count, 100) }
      return await gateway.rest(call, ({ rest }) => rest.search.issuesAndPullRequests(query))
    },
  }
}

const found = () =>
  z
    .object({
      items: z.array(z.object({ number: z.number(), title: z.string(), state: z.string(), html_url: z.string(), pull_request: z.unknown().optional() })),
    })
    .transform(({ items }) =>
      items.map(({ number, title, state, html_url, pull_request }): FoundIssue => ({ number, title, state, isPull: pull_request != null, url: html_url })),
    )

/**
 * Words that search for themselves only, so that nothing leads out of the repository: no qualifiers (`repo:`, `user:`, …), quotes,
 * brackets or operators. A colon inside of other text (`std::string`) parts words. What is too long ends after a whole word.
 */
export function plainWords(words: string): string {
  const plain = words
    .replace(/["'`()]/g, ' ')
    .replace(/(?<!\S)[-+]*[a-z][a-z-]*:(?!:)\S+/gi, ' ')
    .replace(/:/g, ' ')
    .split(/\s+/)
    .map((word) => word.replace(/^[-+]+/, ''))
    .filter((word) => !/^(?:and|or|not)?$/i.test(word))
    .join(' ')
  return plain.length <= searchChars ? plain : plain.slice(0, Math.max(0, plain.lastIndexOf(' ', searchChars)))
}
