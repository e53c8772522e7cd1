import { pathToFileURL } from 'node:url'
import type { Agent } from './step.ts'
import type { PromptPart } from './user.ts'

/** What a path leads to, if it is a file or folder that may be read; `path` is absolute. */
export type Look = (path: string) => { readonly kind: 'file' | 'folder'; readonly path: string } | undefined

/** `@` where no word and no code begins before it, up to the next space, comma or backtick. */
const reference = /(?<![\w`])@([^\s`,]+)/g
const closers: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<' }

/**
 * The names a text refers to with `@`, each once, in order (the engine's description 2.3). An address like `a@b.c` and what stands in
 * backticks is none. The punctuation of the sentence is no part of a name; brackets that belong to it are.
 */
export function mentions(text: string): string[] {
  const names = [...text.matchAll(reference)].map(([, name = '']) => trimmed(name)).filter((name) => name !== '')
  return [...new Set(names)]
}

function trimmed(name: string): string {
  const last = name.at(-1) ?? ''
  const opener = closers[last]
  const stray = opener === undefined ? /[.!?:;'"]/.test(last) : count(name, last) > count(name, opener)
  return stray ? trimmed(name.slice(0, -1)) : name
}

const count = (text: string, char: string): number => text.split(char).length - 1

/** What a text refers to: files, folders, and agents where no file has the name. Names that lead nowhere, or to hidden agents, are just words. */
export function resolveMentions(text: string, look: Look, agents: readonly Agent[]): PromptPart[] {
  return mentions(text).flatMap((name): PromptPart[] => {
    const found = look(name)
    if (found) {
      const mime = found.kind === 'folder' ? 'application/x-directory' : 'text/plain'
      return [{ type: 'file', mime, url: pathToFileURL(found.path).href, filename: name, source: { path: name } }]
    }
    return agents.some((agent) => agent.name === name && !agent.hidden) ? [{ type: 'agent', name }] : []
  })
}
