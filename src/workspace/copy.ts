import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from './repository.ts'

/** Writes the files of a commit below a folder, as a checkout would; submodules stay empty. The work tree and its index are not touched. */
export async function copyCommit({ git, scratch }: Repository, commit: string, folder: string): Promise<void> {
  const index = join(scratch, `${randomUUID()}.index`)
  const environment = { GIT_INDEX_FILE: index }
  try {
    await git(['read-tree', commit], { environment })
    await git(['checkout-index', '--all', '--force', `--prefix=${folder}/`], { environment })
  } finally {
    await rm(index, { force: true })
  }
}
