import { posix } from 'node:path'
import { below, foldersTo, instructionNames, isAt, type Tree, textOf } from '../config/tree.ts'
import { isOn } from '../config/variables.ts'
import { limits } from '../limits.ts'
import { namedInstructions } from './named-instructions.ts'
import { visibleOnly } from './visible.ts'

/** One text of instructions. `source` is its path in the tree, or its address. */
export interface Instruction {
  readonly source: string
  readonly text: string
}

export interface Instructions {
  /** For the system text, `Instructions from: PATH` and the text, in a stable order. */
  readonly blocks: readonly string[]
  /** Sentences for people about what was left out or cut. */
  readonly notes: readonly string[]
  /** The files that are in `blocks`, by path, as they are in the trusted commit. */
  readonly loaded: ReadonlyMap<string, string>
  /**
   * Instructions that lie nearer to a file the model reads: of each folder from that of the file up to what is loaded already, the first name
   * that exists, the nearest last. `path` is relative to the root; `already` holds the sources that were attached before. They are those of the
   * trusted commit: what a pull request changes in them, or adds, is data (C144).
   */
  nearby(path: string, already: ReadonlySet<string>): Promise<readonly Instruction[]>
}

export interface InstructionOptions {
  readonly tree: Tree
  /** The working directory, relative to the root of the tree. */
  readonly directory: string
  /** `instructions` of the configuration: paths and patterns, and addresses. */
  readonly named?: readonly string[] | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly fetch?: typeof fetch
  readonly signal?: AbortSignal
}

/**
 * Loads what the repository has to tell an agent (DECISIONS 12): of the instruction names the first that exists, in every folder from the root down to
 * the working directory and in its `.opencode`, then the files and addresses that the configuration names. Never throws for an instruction
 * that can't be had; a note says so.
 */
export async function loadInstructions(options: InstructionOptions): Promise<Instructions> {
  const { tree, directory, env } = options
  const names = enabledNames(env)
  const folders = foldersTo(directory).flatMap((folder) => [folder, posix.join(folder, '.opencode')])
  const candidates = names.map((name) => folders.map((folder) => posix.join(folder, name)))
  const [listed, named] = await Promise.all([
    tree.list(candidates.flat()),
    options.named?.length ? namedInstructions(options.named, options) : { files: [], addresses: [], notes: [] },
  ])
  const found = candidates.map((paths) => paths.filter((path) => listed.includes(path))).find((paths) => paths.length > 0) ?? []
  const paths = [...new Set([...found, ...named.files])]
  const files = await readTexts(tree, paths)
  const all = [...files.found, ...named.addresses].filter(({ text }) => text !== '')
  const fitted = withinLimit(all)
  const loaded = new Map(files.found.map(({ source, text }) => [source, text]))
  const notes = [...named.notes, ...files.notes, ...fitted.notes]
  return { blocks: fitted.texts, notes, loaded, nearby: nearbyIn(tree, directory, names, loaded) }
}

/** How an instruction stands before the model. */
export function instructionBlock({ source, text }: Instruction): string {
  return `Instructions from: ${source}\n${text}`
}

/**
 * What the checked-out tree says instead of the loaded instructions, where that differs: the text in which a pull request would change them, to be
 * shown as data. `now` reads a file of the work tree; undefined where there is none.
 */
export async function proposedInstructions(
  { loaded }: Pick<Instructions, 'loaded'>,
  now: (path: string) => Promise<string | undefined>,
): Promise<readonly Instruction[]> {
  const changed = await Promise.all([...loaded].map(async ([source, trusted]) => ({ source, trusted, text: await now(source) })))
  return changed.flatMap(({ source, trusted, text }) => (text === undefined || visibleOnly(text).text === trusted ? [] : [{ source, text }]))
}

function enabledNames(env: InstructionOptions['env']): readonly string[] {
  if (isOn(env, 'OPENCODE_DISABLE_PROJECT_CONFIG')) return []
  const noClaude = isOn(env, 'OPENCODE_DISABLE_CLAUDE_CODE') || isOn(env, 'OPENCODE_DISABLE_CLAUDE_CODE_PROMPT')
  return instructionNames.filter((name) => !(noClaude && name === 'CLAUDE.md'))
}

/** The texts of files, in the order asked for, without what no reviewer could have seen (C142). */
async function readTexts(tree: Tree, paths: readonly string[]): Promise<{ readonly found: readonly Instruction[]; readonly notes: readonly string[] }> {
  const files = await tree.read(paths)
  const notes: string[] = []
  const found = paths.flatMap((source): Instruction[] => {
    const file = files.get(source)
    if (!file) return []
    const text = textOf(file)
    if (text === undefined) {
      notes.push(`The instructions in ${source} were left out: the file has ${file.size} bytes.`)
      return []
    }
    const visible = visibleOnly(text)
    if (visible.removed > 0) notes.push(`${visible.removed} invisible characters were removed from the instructions in ${source}.`)
    return [{ source, text: visible.text }]
  })
  return { found, notes }
}

/** As many of the instructions as the limit allows. */
function withinLimit(instructions: readonly Instruction[]): { readonly texts: readonly string[]; readonly notes: readonly string[] } {
  let left: number = limits.instructionFileChars
  const notes: string[] = []
  const texts = instructions.flatMap((instruction): string[] => {
    const kept = shortened(instruction, left)
    if (kept !== instruction) {
      const what = kept === undefined ? 'all' : 'the rest'
      notes.push(`The instructions are longer than ${limits.instructionFileChars} characters: ${what} of ${instruction.source} was left out.`)
    }
    left = Math.max(0, left - instruction.text.length)
    return kept === undefined ? [] : [instructionBlock(kept)]
  })
  return { texts, notes }
}

/** The instruction itself where there is room for it; otherwise its whole lines that fit, and a hint; undefined when none does. */
function shortened(instruction: Instruction, room: number): Instruction | undefined {
  const { source, text } = instruction
  if (text.length <= room) return instruction
  const kept = text.slice(0, text.lastIndexOf('\n', room) + 1).trimEnd()
  return kept === '' ? undefined : { source, text: `${kept}\n(Cut here. The rest is in the file.)` }
}

function nearbyIn(tree: Tree, directory: string, names: readonly string[], loaded: ReadonlyMap<string, string>): Instructions['nearby'] {
  const seen = new Map<string, Promise<Instruction | undefined>>()
  const firstIn = async (folder: string): Promise<Instruction | undefined> => {
    const candidates = names.map((name) => posix.join(folder, name))
    const listed = await tree.list(candidates)
    const first = candidates.find((path) => listed.includes(path))
    const found = first === undefined ? undefined : (await readTexts(tree, [first])).found[0]
    return found && shortened(found, limits.outputBytes)
  }
  return async (path, already) => {
    const file = below('', path)
    if (file === undefined || names.length === 0) return []
    const folders = foldersTo(posix.dirname(file)).filter((folder) => folder !== '' && !isAt(directory, folder))
    const found = await Promise.all(
      folders.map((folder) => {
        const known = seen.get(folder) ?? firstIn(folder)
        seen.set(folder, known)
        return known
      }),
    )
    return found.flatMap((instruction) => {
      if (instruction === undefined || instruction.text === '' || instruction.source === file) return []
      return loaded.has(instruction.source) || already.has(instruction.source) ? [] : [instruction]
    })
  }
}
