import { posix } from 'node:path'
import picomatch from 'picomatch'
import { textUpTo } from '../body.ts'
import { below, foldersTo } from '../config/tree.ts'
import { messageOf } from '../failure.ts'
import { limits } from '../limits.ts'
import type { Instruction, InstructionOptions } from './instructions.ts'
import { visibleOnly } from './visible.ts'

/** What the key `instructions` of a configuration names. */
interface Named {
  /** Files of the tree, in the order they are named; what one pattern finds is sorted. */
  readonly files: readonly string[]
  readonly addresses: readonly Instruction[]
  readonly notes: readonly string[]
}

/** Finds the files that `instructions` names and fetches its addresses. What can't be had becomes a note. */
export async function namedInstructions(named: readonly string[], options: InstructionOptions): Promise<Named> {
  const found = await Promise.all(named.map((name) => (/^https?:\/\//i.test(name) ? fetched(name, options) : matched(name, options))))
  return { files: found.flatMap(({ files }) => files), addresses: found.flatMap(({ addresses }) => addresses), notes: found.flatMap(({ notes }) => notes) }
}

const nothing: Named = { files: [], addresses: [], notes: [] }
const note = (text: string): Named => ({ ...nothing, notes: [text] })

/** A path or pattern is tried in every folder from the working directory up to the root. */
async function matched(pattern: string, { tree, directory, env }: InstructionOptions): Promise<Named> {
  const relative = posix.isAbsolute(pattern) && env.GITHUB_WORKSPACE ? posix.relative(env.GITHUB_WORKSPACE, pattern) : pattern
  if (relative.trim() === '') return note('An entry of `instructions` was left out: it is empty.')
  const places = foldersTo(directory).flatMap((folder) => below(folder, relative) || [])
  if (places.length === 0) return note(`The instructions ${pattern} were left out: they are not in the repository, and only its trusted commit is read.`)
  const bases = places.map((place) => picomatch.scan(place).base)
  const listed = await tree.list(bases.includes('') ? undefined : bases)
  const matches = places.map((place) => picomatch(place, { dot: true, nonegate: true }))
  const files = listed.filter((path) => matches.some((isMatch) => isMatch(path)))
  return files.length > 0 ? { ...nothing, files } : note(`The instructions ${pattern} were not found in the trusted commit.`)
}

async function fetched(address: string, { fetch: ask = fetch, signal }: InstructionOptions): Promise<Named> {
  const failed = (why: string) => note(`The instructions at ${address} were left out: ${why}.`)
  const timeout = AbortSignal.timeout(limits.instructionTimeout)
  try {
    const response = await ask(address, {
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      headers: { accept: 'text/markdown, text/plain, */*' },
    })
    if (!response.ok) {
      await response.body?.cancel()
      return failed(`the server answered ${response.status}`)
    }
    const text = await textUpTo(response, limits.instructionFileChars)
    if (text === undefined) return failed(`they have more than ${limits.instructionFileChars} bytes`)
    return { ...nothing, addresses: [{ source: address, text: visibleOnly(text).text }] }
  } catch (error) {
    return failed(timeout.aborted ? `the server did not answer within ${limits.instructionTimeout / 1_000} seconds` : messageOf(error))
  }
}
