import { isSteering } from '../config/steering.ts'
import type { PullFacts } from '../github/types.ts'
import { codeSpan } from '../report/markdown.ts'

/** Files that are named one by one; of more their number is told. */
const named = 10

/**
 * Says that a pull request changes files which steer agents, git or workflows, and that this run did not go by them (issue 6); nothing where it
 * changes none. For people and the model; the names are of others' making.
 */
export function steeringNotes(pull: Pick<PullFacts, 'files' | 'changedFiles' | 'baseRef'>): readonly string[] {
  const paths = pull.files.map(({ path }) => path).filter(isSteering)
  const unseen = pull.changedFiles - pull.files.length
  if (paths.length === 0)
    return unseen > 0
      ? [`GitHub did not list ${unseen} of the changed files: whether one of them steers agents, git or workflows is not known. None did in this run.`]
      : []
  const list = paths.slice(0, named).map((path) => codeSpan(path, 200))
  const more = paths.length > named ? ` and ${paths.length - named} more` : ''
  const rest = unseen > 0 ? ` GitHub did not list ${unseen} more changed files.` : ''
  const base = codeSpan(pull.baseRef, 200)
  return [
    `This pull request changes files that steer agents, git or workflows: ${list.join(', ')}${more}. This run went by what is on ${base}; the changed versions count once they are merged.${rest}`,
  ]
}
