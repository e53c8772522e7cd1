import type { Identity } from './types.ts'

/** Characters of the title that go into a branch name. */
const slugChars = 50

/**
 * The branch for a run's work: `opencode/issue12-fix-the-date-parsing`. A title without ASCII letters or digits (emoji, CJK) leaves the slug
 * away (C95). Passes `git check-ref-format --branch` for every title, given a prefix for which `validBranch(prefix + 'x')` holds.
 */
export function branchName(input: {
  readonly prefix: string
  readonly kind: 'issue' | 'pull' | 'schedule' | 'dispatch' | 'run'
  readonly number?: number
  readonly title: string
}): string {
  const slug = slugOf(input.title)
  return `${input.prefix}${input.kind}${input.number ?? ''}${slug && `-${slug}`}`
}

/** The n-th name to try when a branch name is taken (C109). */
export function withSuffix(name: string, n: number): string {
  return `${name}-${n}`
}

/** Whether git takes this as the name of a branch: the rules of git-check-ref-format and no more (C94: `#`, `@`, `(`, `ü` are fine). */
export function validBranch(name: string): boolean {
  return (
    name !== '' &&
    name !== '@' &&
    name !== 'HEAD' &&
    !name.startsWith('-') &&
    !name.endsWith('.') &&
    !name.includes('..') &&
    !name.includes('@{') &&
    !/[ ~^:?*[\\]/.test(name) &&
    ![...name].some((char) => char < ' ' || char === '\x7f') &&
    name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
  )
}

/** Who we are to git: the id-prefixed noreply address of the account, which belongs to nobody else (C114). `serverUrl` says whose mail domain. */
export function noreply(viewer: { readonly login: string; readonly id?: number | undefined }, serverUrl: string): Identity {
  const local = viewer.id === undefined ? viewer.login : `${viewer.id}+${viewer.login}`
  return { name: viewer.login, email: `${local}@users.noreply.${new URL(serverUrl).hostname}` }
}

/** The `Co-authored-by` line for the person who asked; undefined for bots, organisations, and whoever has no name or id to build an address from (C114). */
export function coAuthor(person: { readonly login: string; readonly id?: number; readonly type: string }, serverUrl: string): string | undefined {
  if (person.type !== 'User' || person.id === undefined || !/^[\w-]+$/.test(person.login)) return undefined
  const { name, email } = noreply(person, serverUrl)
  return `Co-authored-by: ${name} <${email}>`
}

function slugOf(title: string): string {
  const slug = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  if (slug.length <= slugChars) return slug
  const lastWord = slug.lastIndexOf('-', slugChars)
  return slug.slice(0, lastWord > 0 ? lastWord : slugChars)
}
