import { readable, records } from './git.ts'
import type { Repository } from './repository.ts'

/** Commits looked through for recent files. */
const commitsRead = 50

/**
 * Names of files the last commits touched and that were not deleted since, newest first; empty before the start put a commit in place. The oldest
 * commit of a shallow history is skipped: it seems to add every file.
 */
export async function recentFiles({ git }: Repository, count: number): Promise<readonly string[]> {
  const args = [
    'log',
    '-z',
    '--format=',
    '--name-status',
    '--no-renames',
    '--min-parents=1',
    '--diff-merges=first-parent',
    `--max-count=${commitsRead}`,
    'HEAD',
    '--',
  ]
  const { code, stdout } = await git(args, { accept: [0, 128] })
  if (code !== 0) return []
  const fields = records(stdout).filter(Boolean)
  const seen = new Map<string, boolean>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1] ?? ''
    if (!seen.has(path)) seen.set(path, fields[at] !== 'D')
  }
  return [...seen].flatMap(([path, there]) => (there ? [readable(path)] : [])).slice(0, count)
}
