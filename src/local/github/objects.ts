import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RestContext } from './context.ts'
import { unprocessable } from './http.ts'

/** Writes trees and commits for the Git data API. */

/** Whom a commit names; now, unless it has a date. */
export interface Person {
  readonly name: string
  readonly email: string
  readonly date?: string | undefined
}

interface Entry {
  readonly path: string
  readonly mode: string
  readonly sha?: string | null | undefined
  readonly content?: string | undefined
}

/** A tree with entries laid over another; a null `sha` removes a path. Throws `Refusal` for a removal of what is not there. */
export async function writeTree(context: RestContext, base: string | undefined, entries: readonly Entry[]): Promise<string> {
  const { own } = context.repositories
  const index = join(tmpdir(), `index-${randomUUID()}`)
  const extra = { GIT_INDEX_FILE: index }
  try {
    if (base !== undefined) await context.git(own, ['read-tree', base], { extra })
    const there = new Set((await context.git(own, ['ls-files', '-z'], { extra })).split('\0'))
    const rows: string[] = []
    for (const { path, mode, sha, content } of entries) {
      if (mode === '040000') throw unprocessable('Trees within trees are not served here')
      if (sha === null && content === undefined) {
        const below = [...there].filter((name) => name === path || name.startsWith(`${path}/`))
        if (below.length === 0) throw unprocessable('GitRPC::BadObjectState')
        rows.push(...below.map((name) => `0 ${'0'.repeat(40)}\t${name}`))
        continue
      }
      const blob = sha ?? (await context.git(own, ['hash-object', '-w', '--stdin'], { input: content ?? '' })).trim()
      rows.push(`${mode} ${blob}\t${path}`)
    }
    await context.git(own, ['update-index', '-z', '--index-info'], { extra, input: rows.map((row) => `${row}\0`).join('') })
    return (await context.git(own, ['write-tree'], { extra })).trim()
  } finally {
    await rm(index, { force: true })
  }
}

/** Writes a commit; returns its id. */
export async function writeCommit(
  context: Pick<RestContext, 'git' | 'repositories'>,
  input: { tree: string; parents: readonly string[]; message: string; author: Person; committer: Person },
): Promise<string> {
  const variables = (role: 'AUTHOR' | 'COMMITTER', { name, email, date }: Person) => ({
    [`GIT_${role}_NAME`]: name,
    [`GIT_${role}_EMAIL`]: email,
    ...(date === undefined ? {} : { [`GIT_${role}_DATE`]: date }),
  })
  const args = ['commit-tree', input.tree, ...input.parents.flatMap((parent) => ['-p', parent])]
  const extra = { ...variables('AUTHOR', input.author), ...variables('COMMITTER', input.committer) }
  return (await context.git(context.repositories.own, args, { input: input.message, extra })).trim()
}
