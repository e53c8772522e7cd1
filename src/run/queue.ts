import { askingOf } from '../event/asking.ts'
import { requestIn } from '../event/request.ts'
import type { Person, Repository, Subject, Trigger, Verb } from '../event/trigger.ts'
import { defaultRequests } from '../event/verb.ts'
import type { Author, Comment, Discussion, PullFacts } from '../github/types.ts'
import { limits } from '../limits.ts'
import { postedClaims, requestsOf } from '../thread/claim.ts'
import type { LoadedThread } from '../thread/load.ts'
import type { Authorise } from './queue-access.ts'

/** A request that the thread still owes an answer. */
export interface Owed {
  readonly key: string
  /** When it was made, as GitHub says it; undefined for what nobody wrote. */
  readonly at: string | undefined
  /** As if its own event had come. Where its message is in the checkpoint already, the verb is `continue`. */
  readonly trigger: Trigger
}

export interface Queue {
  /** Oldest first. */
  readonly requests: readonly Owed[]
  /** Keys of requests that the checkpoint's messages hold: answered by whatever goes on with it. */
  readonly resumed: readonly string[]
  /** Keys of requests that somebody took back by a later `cancel`. */
  readonly cancelled: readonly string[]
  /** Sentences for the job summary. */
  readonly notes: readonly string[]
}

export interface QueueFacts {
  readonly discussion: Discussion
  readonly thread: LoadedThread
  /** The request of this run, which passed the gate; absent when only what is left over is looked for. Never `cancel` or `help`. */
  readonly own?: Trigger | undefined
  readonly runId: string
  /** Whether somebody started this run again, which a `cancel` from before does not take back. */
  readonly isRerun?: boolean
  /** Keys that are known to be owed, however old. */
  readonly named?: readonly string[]
  readonly repository: Repository
  readonly settings: { readonly triggers: readonly string[]; readonly prompt?: string }
}

/** An edit this soon after the comment is part of writing it, in ms. */
const editGrace = 5_000

/** The key of a run's own request; that of an event nobody wrote is the run's. */
export function keyOf(trigger: Trigger, runId: string): string {
  return askingOf(trigger)?.key ?? `event:${runId}`
}

/** Whether a comment was changed after it was written: then nobody knows whose words it holds. Times as GitHub says them. */
export function wasEdited(createdAt: string, editedAt: string | null): boolean {
  return editedAt !== null && !(Date.parse(editedAt) - Date.parse(createdAt) <= editGrace)
}

/** Somebody in the shape that events have them in. */
export function personOf({ login, isBot }: Author): Person {
  return { login, type: isBot ? 'Bot' : login === 'ghost' ? 'Unknown' : 'User' }
}

/**
 * The requests that a thread owes an answer: the run's own, and every other comment, remark or review that calls us, that no turn has answered and
 * that an authorised person wrote. Only what is newer than the first request that was ever answered or that runs have worked on counts, so that an
 * old thread leads to no flood, and what people were told has failed does not come back by itself. Passed over are comments that are hidden, edited
 * after they were written, the bot's own, and those that a later authorised `cancel` takes back. At most ten, the oldest first, and the run's own always.
 */
export async function owedRequests(facts: QueueFacts, mayAsk: Authorise): Promise<Queue> {
  const { own, runId, thread, isRerun } = facts
  const mine = own && { key: keyOf(own, runId), at: askingOf(own)?.at, trigger: own }
  const { asked, cancels, edited } = sift(facts, mine)
  const candidates: Owed[] = mine ? [mine] : []
  for (const owed of asked) if (await mayAsk(owed.trigger)) candidates.push(owed)

  const allowed = candidates.length === 0 ? [] : await newestAllowed(cancels, mayAsk)
  const isCancelled = (owed: Owed) => allowed.some((cancel) => isBefore(owed, cancel)) && !(isRerun && owed.key === mine?.key)
  const standing = candidates.filter((owed) => !isCancelled(owed)).toSorted(byTime)

  const taken = new Set(thread.checkpoint?.turn.taken ?? [])
  const fresh = standing.filter(({ key }) => !taken.has(key) || key === mine?.key)
  const others = fresh.filter(({ key }) => key !== mine?.key)
  const kept = new Set(others.slice(0, limits.requestsPerRun - 1))
  const left = others.length - kept.size
  return {
    requests: fresh.filter((owed) => owed.key === mine?.key || kept.has(owed)).map((owed) => (taken.has(owed.key) ? goingOn(owed) : owed)),
    resumed: [...taken].filter((key) => !thread.answered.has(key)),
    cancelled: candidates.filter(isCancelled).map(({ key }) => key),
    notes: [...edited, ...(left > 0 ? [`${left} more requests in this thread wait for an answer; a further comment gets them one.`] : [])],
  }
}

/** Its message is there; the loop is all that it still needs. */
function goingOn({ trigger, ...owed }: Owed): Owed {
  return { ...owed, trigger: { ...trigger, verb: { type: 'continue' } } }
}

interface Sifted {
  /** Who wrote them is not looked at yet. */
  readonly asked: readonly Owed[]
  readonly cancels: readonly Owed[]
  readonly edited: readonly string[]
}

/** What in a thread could be a request beside the run's own, and what could take one back. */
function sift(facts: QueueFacts, mine: Owed | undefined): Sifted {
  const { discussion, thread, settings } = facts
  const claims = postedClaims(discussion.comments, discussion.viewer.login)
  const named = new Set([...(facts.named ?? []), ...claims.filter(({ ended }) => !ended).flatMap(requestsOf)])
  const told = new Set(claims.filter(({ ended }) => ended).flatMap(requestsOf))
  const texts = textsOf(facts)
  const since = begin(texts, facts, named, mine)

  const asked: Owed[] = []
  const cancels: Owed[] = []
  const edited: string[] = []
  for (const { key, at, author, body, bare, minimized, editedAt, url, trigger } of texts) {
    // The subject's own text counts only where a run was known to work on it: it was there before the action was, for all we know.
    if (key.startsWith('subject:') && !named.has(key)) continue
    if (key === mine?.key || thread.answered.has(key) || minimized || isOurselves(author, discussion)) continue
    if (!named.has(key) && (told.has(key) || at < since)) continue
    const verb = requestIn(body, settings.triggers, { prompt: settings.prompt, bare })
    if (!verb || verb.type === 'help') continue
    if (wasEdited(at, editedAt)) edited.push(url)
    else (verb.type === 'cancel' ? cancels : asked).push({ key, at, trigger: trigger(verb) })
  }
  return { asked, cancels, edited: edited.length > 0 ? [editedNote(edited)] : [] }
}

/**
 * From when on comments count: from the first request that the action is known to have worked on. The clock of a runner may be ahead of GitHub's, so
 * the beginning of a session counts only beside the comments themselves.
 */
function begin(texts: readonly Text[], { thread }: QueueFacts, named: ReadonlySet<string>, mine: Owed | undefined): string {
  const began = [...thread.turns.map((turn) => turn.began), ...(thread.checkpoint ? [thread.checkpoint.session.created] : [])]
  const worked = texts.filter(({ key }) => named.has(key) || thread.answered.has(key)).map(({ at }) => at)
  const times = [...began.map((time) => new Date(time).toISOString()), ...worked, ...(mine?.at === undefined ? [] : [mine.at])]
  return times.toSorted()[0] ?? '9999'
}

/** A text of the thread that may ask for something. */
interface Text {
  readonly key: string
  readonly at: string
  readonly author: Author
  readonly body: string
  /** What the trigger word alone asks for. */
  readonly bare: string
  readonly minimized: boolean
  readonly editedAt: string | null
  readonly url: string
  trigger(verb: Verb): Trigger
}

function textsOf({ discussion, repository, settings }: QueueFacts): Text[] {
  const { pull } = discussion
  const subject = subjectOf(discussion)
  const asker = ({ author }: { readonly author: Author }) => ({ repository, actor: personOf(author), subject })
  const asks = requestIn(subject.title, settings.triggers) ? subject.title : subject.body
  const opening: Text = {
    ...facing({ ...discussion, body: asks, minimized: false, lastEditedAt: null }),
    key: `subject:${discussion.number}`,
    bare: defaultRequests.issue,
    trigger: (verb) => ({ event: 'issues', action: 'opened', asks: true, ...asker(discussion), verb }),
  }
  const comments = discussion.comments.map((comment): Text => {
    const trigger = (verb: Verb): Trigger => ({ event: 'issue_comment', ...asker(comment), verb, comment: askingIn(comment) })
    return { ...facing(comment), key: `comment:${comment.id}`, bare: pull ? defaultRequests.pull : defaultRequests.issue, trigger }
  })
  return pull ? [...comments, ...remarksIn(pull, asker), ...reviewsIn(pull, asker)] : [opening, ...comments]
}

type Asker = (written: { readonly author: Author }) => { readonly repository: Repository; readonly actor: Person; readonly subject: Subject }

/** Of remarks on a fork nothing tells which commit their author saw, so they are left to their own runs, whose events do. */
function remarksIn(pull: PullFacts, asker: Asker): Text[] {
  if (pull.isFork) return []
  const head = { sha: pull.headSha, ref: pull.headRef, repository: pull.headRepository }
  return pull.threads.flatMap(({ comments, path, line, startLine, side, hunk }) =>
    comments.map((comment): Text => {
      const thread = comments[0]?.id ?? comment.id
      const spot = { path, line, startLine, originalLine: line, side, hunk, commit: pull.headSha, thread }
      const trigger = (verb: Verb): Trigger => ({ event: 'pull_request_review_comment', ...asker(comment), verb, comment: askingIn(comment), spot, head })
      return { ...facing(comment), key: `review-comment:${comment.id}`, bare: defaultRequests.remark, trigger }
    }),
  )
}

function reviewsIn(pull: PullFacts, asker: Asker): Text[] {
  return pull.reviews.flatMap((review): Text[] => {
    const { id, commit, url, body, submittedAt: at, lastEditedAt: editedAt, minimized, author } = review
    if (commit === null) return []
    const head = { sha: commit, ref: pull.headRef, repository: pull.headRepository }
    const asking = { id, url, body, createdAt: at, state: review.state.toLowerCase(), commit }
    const trigger = (verb: Verb): Trigger => ({ event: 'pull_request_review', ...asker(review), verb, review: asking, head })
    return [{ key: `review:${id}`, at, author, body, bare: defaultRequests.review, minimized, editedAt, url, trigger }]
  })
}

const askingIn = ({ id, url, body, createdAt }: Comment) => ({ id, url, body, createdAt })

const facing = ({ createdAt, author, body, minimized, lastEditedAt, url }: Omit<Comment, 'id'>) => ({
  at: createdAt,
  author,
  body,
  minimized,
  editedAt: lastEditedAt,
  url,
})

function subjectOf({ number, pull, title, body, author, locked, state, createdAt }: Discussion): Subject {
  return { number, isPull: pull !== undefined, title, body, author: author.login, locked, state: state.toLowerCase(), createdAt }
}

/** With the token of a person the login tells nothing, and their own comments are known by the hidden marks. */
export function isOurselves({ login, isBot }: Author, { viewer }: Discussion): boolean {
  return isBot && login.toLowerCase() === viewer.login.toLowerCase()
}

/** The newest `cancel` of each kind of text that somebody authorised wrote: only within a kind do numbers tell what came first in one second. */
async function newestAllowed(cancels: readonly Owed[], mayAsk: Authorise): Promise<readonly Owed[]> {
  const newest: Owed[] = []
  for (const cancel of cancels.toSorted(byTime).toReversed()) {
    if (newest.some((other) => kindOf(other) === kindOf(cancel))) continue
    if (await mayAsk(cancel.trigger)) newest.push(cancel)
  }
  return newest
}

const kindOf = ({ key }: Owed): string => key.slice(0, key.indexOf(':'))

/** Whether a `cancel` came after a request, for certain: GitHub's times know no parts of a second, and the text of a subject is older than all that is said under it. */
function isBefore(owed: Owed, cancel: Owed): boolean {
  if (owed.at === undefined || cancel.at === undefined) return false
  if (owed.at !== cancel.at) return owed.at < cancel.at
  return kindOf(owed) === 'subject' || (kindOf(owed) === kindOf(cancel) && byTime(owed, cancel) < 0)
}

/** What nobody wrote comes first: it has been running since before anybody waited. GitHub's times know no parts of a second, its numbers do. */
function byTime(a: Owed, b: Owed): number {
  const [first = '', second = ''] = [a.at, b.at]
  if (first !== second) return first < second ? -1 : 1
  return a.key.localeCompare(b.key, 'en', { numeric: true })
}

function editedNote(urls: readonly string[]): string {
  const more = urls.length > 3 ? ` and ${urls.length - 3} more` : ''
  return `Requests that were edited after they were written are not acted on: ${urls.slice(0, 3).join(', ')}${more}.`
}
