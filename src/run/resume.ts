import type { Checkout } from './checkout.ts'
import type { Past } from './scene.ts'

/**
 * Puts edits of an earlier run back into the work tree, which was cut off or could not push them. Returns sentences for people and the model about what
 * did not come back. Throws `WorkspaceError`.
 */
export async function bringBack({ workspace }: Checkout, { work }: Past): Promise<string[]> {
  if (!work) return []
  if (work.patch === undefined) return ['The edits of the last run did not get to the remote and could not be kept here, so they have to be made again.']
  const { failed } = await workspace.apply({ commit: work.commit, patch: work.patch })
  if (failed.length === 0) return []
  return [
    `Edits of the last run, which did not get to the remote, do not fit any more and have to be made again: ${failed.map((file) => `\`${file}\``).join(', ')}.`,
  ]
}
