import type { Landing } from '../publish/changes.ts'
import type { Why } from '../publish/ladder.ts'
import type { Undone } from '../publish/undo.ts'
import { codeSpan, fenced } from '../report/markdown.ts'
import type { Session } from '../session/message.ts'

/** Turns whose pushes an undo still knows. */
const landingsKept = 20

/**
 * Where the work is, in sentences (Markdown): each rung of the ladder has its own, and what was refused follows with the remote's own words.
 * `repository` is its address. Holds words of others, so it is redacted and defused before it is posted.
 */
export function landedLine(landing: Landing, repository: string): string {
  const reasons = [landing.why, landing.noPull].flatMap((why) => (why ? [whyText(why)] : []))
  return [sentence(landing, repository), ...reasons].filter(Boolean).join('\n\n')
}

function sentence(landing: Landing, repository: string): string {
  const { rung, branch, commit, from, pull, compare, why, noPull, beside } = landing
  if (rung === 'patch' || branch === undefined || commit === undefined) return why ? '' : 'The edits are in a patch, as `pull-request: never` asks for.'
  const address = landing.repository === undefined ? repository : repository.replace(/[^/]+\/[^/]+$/, landing.repository)
  const sha = `[\`${commit.slice(0, 7)}\`](${address}/commit/${commit})`
  const link = compare === undefined ? '' : ` [Compare and open a pull request](${compare}).`
  const anew = rung === 'replayed' ? ' Others had pushed meanwhile, so the work was made anew on top of theirs.' : ''
  if (beside !== undefined) return `The work for ${code(beside)} is on the new branch ${code(branch)} instead, with ${sha}.${link}`
  if (pull?.operation === 'created') return `Opened #${pull.number} with ${sha}.`
  if (from === commit) return `Others had made the same changes to ${code(branch)} meanwhile, so there was nothing left to push.`
  if (pull) return `Pushed ${sha} to #${pull.number}.${anew}`
  const refused = noPull ? ', but no pull request could be opened' : ''
  return `Pushed ${sha} to the branch ${code(branch)}${refused}.${anew}${link}`
}

/** Why something is not where it was meant to be. The remote's words stand in a block in which nothing is markup or calls anybody. */
export function whyText({ reason, said, hint }: Why): string {
  return [`${reason} ${hint}`.trim(), ...(said ? [fenced('text', said.trim())] : [])].join('\n\n')
}

/** What an undo did, in sentences (Markdown). `repository` is its address. Holds words of others, like the above. */
export function undoneLine(undone: readonly Undone[], repository: string): string {
  return undone.map((each) => undoneSentence(each, repository)).join('\n\n')
}

function undoneSentence(undone: Undone, repository: string): string {
  const branch = code(undone.target.branch)
  switch (undone.kind) {
    case 'undone':
      return `Took the changes on ${branch} back with [\`${undone.commit.slice(0, 7)}\`](${repository}/commit/${undone.commit}).`
    case 'conflict':
      return `The changes on ${branch} can't be taken back: later edits stand on them, in ${undone.files.map(code).join(', ')}. Nothing was pushed.`
    case 'gone':
      return `The branch ${branch} was deleted, so there is nothing to take back on it.`
    case 'nothing':
      return `${branch} holds nothing of these changes any more.`
    case 'held':
      return `${branch} was left as it is.`
    case 'refused':
      return whyText(undone.why)
  }
}

/**
 * The session with what it remembers of where its work went. Work beside a branch is an offer to its owner: the session goes on with the branch itself.
 * `message` is the first of the turn, by which an undo finds it.
 */
export function withLanding(session: Session, landing: Landing | undefined, message: string | undefined): Session {
  if (landing?.branch === undefined || landing.commit === undefined) return session
  const { branch, commit, from, beside, pull, rung } = landing
  const pushed = message !== undefined && from !== undefined && from !== commit ? [{ message, branch, from, to: commit }] : []
  const landings = [...(session.landings ?? []), ...pushed].slice(-landingsKept)
  const kept = landings.length > 0 ? { landings } : {}
  if (beside !== undefined) return { ...session, ...kept }
  // A branch without a pull request must not be taken for that of an earlier one.
  const { pull: _, ...rest } = session
  // What we pushed ourselves is no news at the next turn; what others pushed below it is.
  const seen = session.seen?.head !== undefined && rung === 'branch' ? { seen: { ...session.seen, head: commit } } : {}
  // A commit that stands on what strangers pushed to their fork meanwhile vouches for none of it (access/head.ts).
  const head = landing.repository !== undefined && rung === 'replayed' ? {} : { head: commit }
  return { ...rest, ...kept, ...seen, branch, ...head, ...(pull ? { pull: pull.number } : {}) }
}

/** The session after an undo: what is taken back, or gone, can't be taken back again. */
export function withoutLandings(session: Session, undone: readonly Undone[]): Session {
  const settled = new Set(undone.flatMap(({ kind, target }) => (kind === 'undone' || kind === 'nothing' || kind === 'gone' ? [target.branch] : [])))
  const own = undone.find(({ kind, target }) => kind === 'undone' && target.branch === session.branch)
  const head = own?.kind === 'undone' ? { head: own.commit } : {}
  return { ...session, ...head, landings: (session.landings ?? []).filter(({ branch }) => !settled.has(branch)) }
}

function code(name: string): string {
  return codeSpan(name, 300)
}
