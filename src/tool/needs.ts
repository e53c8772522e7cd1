import { isAbsolute, resolve } from 'node:path'
import type { Files } from '../workspace/files.ts'
import type { PermissionNeed } from './permission.ts'

/**
 * What a call on a path needs: its permission for the path from the workspace root, as it was written and, where links lead elsewhere, as
 * it really is, so that neither a link nor a detour gets past a rule. A file outside, such as a saved output, goes by its full path.
 * Throws `PathError` where the path may not be touched at all.
 */
export function pathNeed(permission: string, path: string, files: Files, purpose: 'read' | 'write'): readonly PermissionNeed[] {
  const real = files.locate(path, purpose)
  const written = files.inRoot(resolve(files.directory, path))
  const inside = files.isExtra(real) ? real : files.inRoot(real) || '.'
  const patterns = written === '' || written === '..' || written.startsWith('../') || isAbsolute(written) ? [inside] : [...new Set([written, inside])]
  return [{ permission, patterns }]
}

/** What a call needs that is judged by one text, such as a command or a pattern. */
export function need(permission: string, pattern = '*'): readonly PermissionNeed[] {
  return [{ permission, patterns: [pattern] }]
}
