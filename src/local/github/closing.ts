import type { State, Thread } from './state.ts'

const keyword = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:([\w.-]+\/[\w.-]+))?#(\d+)/gi

/** The issues of this repository that a pull request into the default branch closes by its body's words. */
export function closedBy(state: State, thread: Thread): Thread[] {
  if (thread.pull === undefined || thread.pull.base !== state.defaultBranch) return []
  const own = `${state.owner}/${state.repo}`.toLowerCase()
  const numbers = [...(thread.body ?? '').matchAll(keyword)].flatMap(([, repository, number]) =>
    repository === undefined || repository.toLowerCase() === own ? [Number(number)] : [],
  )
  return [...new Set(numbers)].flatMap((number) => {
    const found = state.threads.get(number)
    return found === undefined || found.pull !== undefined ? [] : [found]
  })
}
