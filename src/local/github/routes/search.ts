import type { RestContext } from '../context.ts'
import { type ApiRequest, invalid, page, type Reply } from '../http.ts'
import type { Thread } from '../state.ts'

/** Issue search: qualifiers, and words that must all be in the title or the body. */

const fits: Record<string, (value: string, item: Thread, context: RestContext) => boolean> = {
  repo: (value, _, { state }) => value.toLowerCase() === `${state.owner}/${state.repo}`.toLowerCase(),
  is: (value, item) => {
    const isPull = item.pull !== undefined
    const kinds = new Map([
      ['issue', !isPull],
      ['pr', isPull],
      ['pull-request', isPull],
      ['open', item.closedAt === null],
      ['closed', item.closedAt !== null],
      ['merged', item.pull?.merged === true],
    ])
    return kinds.get(value) ?? false
  },
  type: (value, item) => (value === 'pr' ? item.pull !== undefined : item.pull === undefined),
  state: (value, item) => (value === 'open') === (item.closedAt === null),
  label: (value, item) => item.labels.some((label) => label.toLowerCase() === value.toLowerCase()),
  author: (value, item) => item.author?.toLowerCase() === value.toLowerCase(),
}

/** `GET /search/issues`; newest first, which is near enough to GitHub's order of fitness. */
export function searchIssues(context: RestContext, request: ApiRequest): Reply {
  const query = request.query.get('q') ?? ''
  if (query.trim() === '') throw invalid({ resource: 'Search', field: 'q', code: 'missing' })
  const terms = [...query.matchAll(/(-?)(?:([a-z-]+):)?(?:"([^"]*)"|(\S+))/g)]
  const words = terms.flatMap(([term, , qualifier]) => (qualifier === undefined ? [term] : []))
  if (words.join(' ').length > 256) throw invalid({ resource: 'Search', field: 'q', code: 'invalid', message: 'The search is longer than 256 characters.' })
  const found = [...context.state.threads.values()].reverse().filter((item) =>
    terms.every(([, not, qualifier, quoted, bare]) => {
      const value = quoted ?? bare ?? ''
      if (qualifier === 'in' || qualifier === 'sort') return true
      const check = qualifier === undefined ? undefined : fits[qualifier]
      const word = qualifier === undefined || check !== undefined ? value : `${qualifier}:${value}`
      const text = `${item.title}\n${item.body ?? ''}`.toLowerCase()
      return (check === undefined ? text.includes(word.toLowerCase()) : check(value, item, context)) === (not === '')
    }),
  )
  const shown = page(found, request, `${context.urls.api}${request.path}`, (item) => ({ ...context.show.issue(item), score: 1 }))
  return { ...shown, body: { total_count: found.length, incomplete_results: false, search_type: 'lexical', items: shown.body } }
}
