import type { PostedComment } from '../github/types.ts'
import { limits } from '../limits.ts'
import type { Landing } from '../publish/changes.ts'
import { publishIntents } from '../publish/intents.ts'
import { type StagedWork, stagedReport } from '../publish/staged.ts'
import type { Saved, SaveRequest } from '../thread/save.ts'
import { inRemarkThread } from '../thread/voice.ts'
import type { Intents } from '../tool/github.ts'
import { type Progress, succeeded } from './conclude.ts'
import { clearAway } from './dead.ts'
import type { Floor } from './floor.ts'
import { newestSeq } from './handover.ts'
import type { Hearing } from './hearing.ts'
import type { Job, Result } from './job.ts'
import type { Presence } from './presence.ts'
import { postReply, safeWords } from './publish.ts'
import type { Scene } from './scene.ts'
import { requestOf } from './words.ts'

/** Whom the token of a workflow acts as. */
const workflowBot = 'github-actions[bot]'
/** C132. */
const startsNothing =
  'It was pushed with the token of the workflow, so no checks start for it by themselves. Give `github-token` the token of an app or a person where they must.'

/** What there is to say at the end of a turn that came to its answer. */
interface End {
  readonly scene: Scene
  readonly floor: Floor
  readonly presence: Presence
  readonly hearing: Hearing
  readonly words: string
  readonly intents?: Intents | undefined
  /** For the reply. */
  readonly notes: readonly string[]
  /** For log and summary alone. */
  readonly quiet?: readonly string[]
}

/**
 * Carries out what the model wanted done in the thread and turns the working comment into the reply, with the turn hidden in it; with `mode: staged`
 * tells what would have been done. Throws `GitHubError` when the reply can't be posted.
 */
export async function finish(job: Job, progress: Progress, end: End): Promise<Result> {
  const { scene, floor, presence, hearing, words, intents, notes, quiet = [] } = end
  const { settings, github } = job
  const { discussion, key, past } = scene
  const { inbox } = hearing
  await presence.stop()
  const safe = (text: string) => safeWords(job, text, limits.commentChars)
  if (settings.mode === 'staged') {
    progress.staged = stagedReport({ number: discussion?.number, reply: words, work: stagedWork(job, scene, progress.landing), intents }, safe)
    return succeeded(job, progress, { notes: [...quiet, ...notes], comment: undefined })
  }
  const hub = intents && discussion ? await publishIntents(github, discussion.number, intents, safe) : undefined
  const said = [words, ...(hub?.done ?? []), hub?.findings ?? ''].filter((text) => text !== '').join('\n\n')
  const all = [...floor.desk.notes, ...presence.notes, ...inbox.notes, ...notes, ...(hub?.notes ?? [])]
  const place = placeOf(job, end)
  const { store, landing, before } = progress
  if (landing?.branch !== undefined && scene.viewer.login === workflowBot) progress.published = startsNothing
  const session = store?.session.id ?? ''
  const newest = newestSeq(inbox.seen(), { viewer: scene.viewer.login, session, key })
  const saved: Saved | undefined =
    discussion &&
    store &&
    place &&
    (await postReply(job, {
      discussion,
      desk: floor.desk,
      place,
      store,
      before,
      requests: [...hearing.resumed, ...inbox.taken()],
      answer: said,
      landing,
      base: progress.checkout?.start.commit,
      seq: Math.max(past.seq, newest + 1),
      key,
      notes: all,
    }))
  await clearAway(job, end)
  const comment: PostedComment | undefined = saved?.comment
  return succeeded(job, progress, { notes: [...quiet, ...all, ...(saved?.notes ?? [])], comment })
}

function stagedWork({ settings, trigger }: Job, { past }: Scene, landing: Landing | undefined): StagedWork | undefined {
  if (!landing) return undefined
  const { files, patch, why } = landing
  return {
    branch: past.session?.branch ?? `${settings.branchPrefix}…`,
    message: requestOf(trigger),
    files,
    ...(why ? { pull: why.reason } : {}),
    patch: patch?.text,
    patchPath: patch?.path,
  }
}

/** Where the reply stands; undefined where the conversation is locked. */
function placeOf({ github, settings, trigger }: Job, { scene, floor }: End): Pick<SaveRequest, 'voice' | 'comment' | 'working'> | undefined {
  const { discussion } = scene
  const { comment } = floor.desk
  const working = comment ? { working: comment } : {}
  if (discussion && trigger.event === 'pull_request_review_comment')
    return { voice: inRemarkThread(github, discussion.number, trigger.spot.thread), ...working }
  if (!comment) return settings.progress === 'none' ? {} : undefined
  return settings.progress === 'final' ? working : { comment }
}
