import type { Discussion, PullFacts } from '../../github/types.ts'
import { counted } from '../../text.ts'
import { attributes, clip, oneLine, quoted } from './quote.ts'
import { type Piece, type Teller, unseenNote } from './teller.ts'

interface Opening extends Piece {
  readonly notes: readonly string[]
}

/** What an issue or pull request is: its facts, title, text and changed files. */
export function opening(discussion: Discussion, title: string, body: string, budget: number, teller: Teller): Opening {
  const { pull } = discussion
  const tag = pull ? 'github_pull_request' : 'github_issue'
  const facts = {
    number: discussion.number,
    ...teller.author(discussion.author),
    created: discussion.createdAt,
    state: pull?.draft ? `${discussion.state.toLowerCase()}, draft` : discussion.state.toLowerCase(),
    labels: discussion.labels.length > 0 ? clip(discussion.labels.join(', '), 500).text : undefined,
    ...(pull && pullFacts(pull)),
  }
  const words = titleAndBody(discussion, title, body, budget, teller)
  const lines = [`<${tag}${attributes(facts)}>`, words.text, ...(pull ? files(pull, budget * 0.15) : []), `</${tag}>`]
  return { ...words, text: lines.join('\n') }
}

function pullFacts(pull: PullFacts): Record<string, string | number | undefined> {
  const { baseRef, headRef, headSha, headRepository, additions, deletions, commits, changedFiles } = pull
  return {
    base: baseRef,
    head: headRef,
    head_commit: headSha,
    head_repository: pull.isFork ? (headRepository ?? 'deleted') : undefined,
    commits,
    changed_files: changedFiles,
    additions,
    deletions,
  }
}

/** Title and text, at the first turn and when they were changed. */
export function titleAndBody({ number, author, createdAt }: Discussion, title: string, body: string, budget: number, teller: Teller): Opening {
  const heading = teller.show(title, 1_000)
  const text = teller.show(body, budget * 0.4)
  const notes = unseenNote('in the description', [heading.removed, text.removed])
  if (text.missing > 0) notes.push(`The description was too long for the model: its last ${counted(text.missing, 'character')} were left out.`)
  const lines = [`<github_title>${oneLine(heading.text)}</github_title>`, ...(text.text === '' ? [] : ['<github_body>', text.text, '</github_body>'])]
  return { text: lines.join('\n'), notes, removed: [], told: [{ row: 'subject', id: number, author: author.login, at: createdAt, text: text.plain }] }
}

function files(pull: PullFacts, room: number): string[] {
  const lines: string[] = []
  let used = 0
  for (const file of pull.files) {
    const line = `- ${quoted(oneLine(file.path))} (${file.change.toLowerCase()}) +${file.additions} -${file.deletions}`
    used += line.length + 1
    if (used > room) break
    lines.push(line)
  }
  const more = pull.changedFiles - lines.length
  if (more > 0) lines.push(`(${counted(more, 'more file')} not listed)`)
  return lines.length === 0 ? [] : ['<github_files>', ...lines, '</github_files>']
}
