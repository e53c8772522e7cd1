import { summaryOf } from '../report/summary.ts'
import { systemClock } from '../session/record.ts'
import { inConversation, inRemarkThread, type Voice } from '../thread/voice.ts'
import { awaitCancelled } from './handover.ts'
import type { Request, Result } from './job.ts'
import { placeOf, type Scene } from './scene.ts'
import { helpText } from './words.ts'

/** Where an answer goes that needs no working comment: next to the request; with `mode: staged` only into the summary. */
export function voiceOf({ github, trigger, settings }: Request): Voice | undefined {
  const place = placeOf({ trigger, settings })
  if (!place || settings.mode === 'staged') return undefined
  return trigger.event === 'pull_request_review_comment' ? inRemarkThread(github, place.number, trigger.spot.thread) : inConversation(github, place.number)
}

/** Says what the action understands. Throws `GitHubError`. */
export async function sayHelp(request: Request): Promise<Result> {
  const text = helpText(request.settings.triggers)
  const comment = await voiceOf(request)?.create(text)
  return ended('success', 'Said what the action understands.', {
    response: text,
    ...(comment ? { 'comment-id': String(comment.id), 'comment-url': comment.url } : {}),
  })
}

/** Waits until the run that is at work in the thread has heard the `cancel`, which it looks for by itself. Throws `GitHubError`. */
export async function cancelOther(request: Request, { watch, viewer }: Scene): Promise<Result> {
  const { github, world } = request
  if (!watch) return ended('skipped', 'There is no thread in which anything could run.')
  const outcome = await awaitCancelled({ watch, viewer: viewer.login, runState: (run) => github.runState(run), clock: systemClock, signal: world.signal })
  switch (outcome.kind) {
    case 'nothing': {
      const text = 'Nothing is running in this thread.'
      await voiceOf(request)?.create(text)
      return ended('success', text, { response: text })
    }
    case 'ended':
      return ended('success', `Run ${outcome.run} was stopped; its comment says how it ended.`)
    case 'died':
      return ended('success', `Run ${outcome.run} gave no sign of life any more. The next request, or \`continue\`, goes on with its work.`)
    case 'stopped':
      return ended('cancelled', 'The run was stopped.')
  }
}

/** The result of a run that asked no model. */
export function ended(conclusion: Result['conclusion'], reason: string, outputs: Result['outputs'] = {}): Result {
  const answer = outputs.response === undefined || outputs.response === reason ? {} : { answer: outputs.response }
  return { conclusion, reason, outputs, summary: summaryOf({ conclusion, reason, ...answer }) }
}
