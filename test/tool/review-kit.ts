import { fileURLToPath } from 'node:url'
import { messageOf } from '../../src/failure.ts'
import { textsOf } from '../../src/prompt/texts.ts'
import { type GitHubToolOptions, githubTools } from '../../src/tool/github.ts'

const context = { sessionID: 's', messageID: 'm', callID: 'c', agent: 'build', signal: new AbortController().signal, metadata: () => undefined }
const texts = textsOf(fileURLToPath(new URL('../../prompts', import.meta.url)))

export const issue: GitHubToolOptions['triage'] = {
  number: 7,
  isOpen: true,
  labels: ['bug'],
  rules: {},
  allLabels: () => Promise.resolve(['bug', 'Documentation', 'area/api', 'area/web', 'good first issue']),
}

/** The GitHub tools of a run, and what a model that calls them hears. */
export function desk(options: Partial<GitHubToolOptions> = {}) {
  const { tools, intents } = githubTools({
    texts,
    truncate: (text) => Promise.resolve({ text, truncated: false }),
    triage: issue,
    search: () => Promise.resolve([]),
    ...options,
  })
  const toolOf = (id: string) => {
    const tool = tools.find((each) => each.id === id)
    if (!tool) throw new Error(`no tool ${id}`)
    return tool
  }
  return {
    tools,
    intents,
    toolOf,
    call: async (id: string, input: unknown): Promise<string> => (await toolOf(id).execute(input, context)).output,
    failure: async (id: string, input: unknown): Promise<string> =>
      toolOf(id)
        .execute(input, context)
        .then(() => 'it worked', messageOf),
  }
}
