import { basename, join, relative } from 'node:path'
import { z } from 'zod'
import { limits } from '../limits.ts'
import type { Files } from '../workspace/files.ts'
import { type Draft, draft } from './draft.ts'
import { ToolError } from './errors.ts'
import { need } from './needs.ts'
import { optional } from './parameters.ts'
import { matcherOf } from './pattern.ts'
import { type GitAnswer, gitError, type Place, type Repository } from './repository.ts'
import { cutLine } from './text.ts'

const parameters = z.object({
  pattern: z.string().min(1).describe('Regular expression for one line'),
  path: optional(z.string().describe('File or folder to search, default the working directory')),
  include: optional(z.string().min(1).describe('Only files like this, such as *.{ts,tsx}')),
})

interface Match {
  readonly path: string
  readonly line: string
  readonly text: string
}

/** Searches file contents, those of untracked files too; ignored ones only where the path names them (C76). */
export function grepTool({ files, repository }: { files: Files; repository: Repository }): Draft {
  const needs = ({ pattern }: z.output<typeof parameters>) => need('grep', pattern)
  return draft('grep', parameters, needs, async ({ pattern, path, include }, { signal }) => {
    if (/[\r\n]/.test(pattern)) throw new ToolError('The pattern holds a line break, and grep looks at single lines.', 'Search for one of the lines.')
    const place = await repository.place(path ?? files.directory, signal)
    const wanted = include === undefined ? () => true : includes(include, place, files)
    const matches = await search(pattern, place, wanted, { files, repository, signal })
    const shown = matches.slice(0, limits.searchResults)
    const truncated = matches.length > shown.length
    if (shown.length === 0) return { title: pattern, output: 'No matches found', metadata: { matches: 0 } }
    const heading = `Found ${shown.length}${truncated ? ' matches (there are more; use a narrower pattern, path or include)' : shown.length === 1 ? ' match' : ' matches'}`
    return { title: pattern, output: [heading, ...blocks(shown, place, files)].join('\n'), metadata: { matches: shown.length } }
  })
}

function blocks(matches: readonly Match[], { cwd }: Place, files: Files): string[] {
  const byPath = Map.groupBy(matches, ({ path }) => path)
  return [...byPath].flatMap(([path, lines]) => [
    '',
    `${files.show(join(cwd, path))}:`,
    ...lines.map(({ line, text }) => `  Line ${line}: ${cutLine(text, limits.lineChars)}`),
  ])
}

/** `include` is for names at any depth, or with `/` for paths from the place that is searched. */
function includes(pattern: string, place: Place, files: Files): (path: string) => boolean {
  const matches = matcherOf(pattern, { anywhere: !pattern.includes('/') })
  const known = new Map<string, boolean>()
  return (path) => {
    const before = known.get(path)
    if (before !== undefined) return before
    const real = join(place.cwd, path)
    const verdict = matches(place.isFile ? basename(path) : relative(place.real, real)) || matches(files.inRoot(real))
    known.set(path, verdict)
    return verdict
  }
}

interface Search {
  readonly files: Files
  readonly repository: Repository
  readonly signal: AbortSignal
}

async function search(pattern: string, place: Place, wanted: (path: string) => boolean, context: Search): Promise<Match[]> {
  const perl = await grep('--perl-regexp', pattern, place, wanted, context)
  if (perl.answer.code <= 1) return perl.matches
  if (!/perl-compatible|pcre/i.test(perl.answer.errors) || !/compiled|support/i.test(perl.answer.errors)) throw badPattern(perl.answer, context.files)
  // This git was built without Perl's expressions, whose classes would silently match something else.
  if (/\\[dDbB]|\(\?|[*+?}]\?/.test(pattern)) {
    throw new ToolError(
      'The git of this machine knows only POSIX expressions: no \\d, \\D, \\b, \\B, (?...) or lazy quantifiers.',
      'Use [0-9], [^0-9], \\< and \\>, and groups without ?, or search with bash.',
    )
  }
  const posix = await grep('--extended-regexp', pattern, place, wanted, context)
  if (posix.answer.code > 1) throw badPattern(posix.answer, context.files)
  return posix.matches
}

function badPattern(answer: GitAnswer, files: Files): ToolError {
  const error = gitError(answer, files)
  return /command line|-e option/.test(answer.errors)
    ? new ToolError(`The pattern is not a valid regular expression: ${answer.errors}.`, 'Escape characters that are meant literally with a backslash.')
    : error
}

async function grep(syntax: string, pattern: string, place: Place, wanted: (path: string) => boolean, { repository, signal }: Search) {
  const scope = place.extra ? ['--no-index'] : place.ignored ? ['--untracked', '--no-exclude-standard'] : ['--untracked']
  const args = [
    '--literal-pathspecs',
    'grep',
    '--line-number',
    '--null',
    '--no-color',
    '--no-column',
    '-I',
    '--no-recurse-submodules',
    ...scope,
    syntax,
    '-e',
    pattern,
    '--',
    place.path,
  ]
  const matches: Match[] = []
  const reader = recordsOf((match) => {
    if (wanted(match.path)) matches.push(match)
    return matches.length <= limits.searchResults
  })
  const answer = await repository.run(args, place.cwd, signal, reader)
  return { answer, matches }
}

/** Reads `path NUL number NUL text LF` records as they come; says false when `take` has enough. */
function recordsOf(take: (match: Match) => boolean): (chunk: Buffer) => boolean {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const first = rest.indexOf(0)
      const second = first === -1 ? -1 : rest.indexOf(0, first + 1)
      const end = second === -1 ? -1 : rest.indexOf(0x0a, second + 1)
      if (end === -1) return true
      const text = rest.toString('utf8', second + 1, end).replace(/\r$/, '')
      if (!take({ path: rest.toString('utf8', 0, first), line: rest.toString('utf8', first + 1, second), text })) return false
      rest = rest.subarray(end + 1)
    }
  }
}
