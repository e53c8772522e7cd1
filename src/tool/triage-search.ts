import { z } from 'zod'
import { type Draft, draft } from './draft.ts'
import { need } from './needs.ts'

/** Results of one search. */
const results = 10

/** An issue or pull request that a search found. */
export interface Found {
  readonly number: number
  readonly title: string
  readonly state: string
  readonly isPull: boolean
}

const parameters = z.object({ words: z.string().trim().min(1).max(200).describe('A few words that the other would hold') })

/** Searches the repository's issues and pull requests, for duplicates and what is related. `number` is the one the run is about, which is no find. */
export function searchIssuesTool(search: (words: string, count: number) => Promise<readonly Found[]>, number: number): Draft {
  return draft(
    'search_issues',
    parameters,
    ({ words }) => need('search_issues', words),
    async ({ words }) => {
      const found = (await search(words, results + 1)).filter((each) => each.number !== number).slice(0, results)
      const lines = found.map((each) => `#${each.number} (${each.state.toLowerCase()} ${each.isPull ? 'pull request' : 'issue'}) ${oneLine(each.title)}`)
      return { title: words, output: lines.join('\n') || 'Nothing found.', metadata: { found: found.length } }
    },
  )
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
