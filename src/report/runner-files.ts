import { randomUUID } from 'node:crypto'

/**
 * A name and its value as the runner reads them from the files named by `GITHUB_OUTPUT` and `GITHUB_STATE`. The delimiter is random and
 * occurs nowhere in the value, so that no text can end its own value and begin another (C135, GHSA-7r3h-m5j6-3q42).
 */
export function pairFor(name: string, value: string): string {
  let delimiter = randomUUID()
  while (value.includes(delimiter)) delimiter = randomUUID()
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`
}
