import { decide, needsPermission } from './access/decide.ts'
import { readPayload } from './event/file.ts'
import { readEvent } from './event/read.ts'
import type { Trigger } from './event/trigger.ts'
import { connect } from './github/client.ts'
import { chooseModel, type ModelChoice, secretsOf } from './model/choose.ts'
import { openModel } from './model/open.ts'
import { type Desk, openDesk, type Place, silentDesk } from './publish/desk.ts'
import { planWork } from './publish/plan.ts'
import { workingBody } from './report/reply.ts'
import { assemble, newSession } from './run/assemble.ts'
import { openCheckout } from './run/checkout.ts'
import { forkNotAvailable, ModelFailure, notAvailable } from './run/complaints.ts'
import { failed, type Progress, skipped, succeeded } from './run/conclude.ts'
import type { Job, Result, World } from './run/job.ts'
import { postReply, publishWork } from './run/publish.ts'
import { answerOf, contextOf, helpText, partsOf, sourceOf } from './run/words.ts'
import { warm } from './session/engine.ts'
import type { ModelRef } from './session/message.ts'
import { readSettings } from './settings/read.ts'
import { readRunner } from './settings/runner.ts'
import { sessionKey } from './thread/codec.ts'
import { loadThread } from './thread/load.ts'

/**
 * One run, from the webhook to the reply. Up to the desk nothing is written to GitHub and a failure is thrown as a `Failure`;
 * from the desk on somebody waits for an answer, and every failure becomes one.
 */
export async function run(world: World): Promise<Result> {
  const settings = readSettings(world.env)
  for (const secret of [settings.githubToken, settings.sessionKey]) if (secret) world.redactor.add(secret)
  const runner = readRunner(world.env)

  const payload = await readPayload(runner.eventName, runner.eventPath)
  const reading = readEvent(runner.eventName, payload, { ...settings, repository: { owner: runner.owner, name: runner.repo } })
  if (reading.kind === 'nothing') return skipped(reading.reason)
  const { trigger } = reading

  const choice = chooseModel({ ...settings, env: world.env })
  for (const secret of secretsOf(choice)) world.redactor.add(secret)

  const github = connect({ token: settings.githubToken, apiUrl: runner.apiUrl, graphqlUrl: runner.graphqlUrl, owner: runner.owner, repo: runner.repo })
  const permission = needsPermission(trigger, settings) ? { permission: await github.permission(trigger.actor.login) } : {}
  const verdict = decide({ trigger, ...settings, ...permission })
  if (!verdict.allowed) return skipped(verdict.reason)
  world.log.info(`Running, because ${verdict.because}.`)

  return serve({ world, settings, runner, trigger, choice, github })
}

/** Serves a request that passed the gate. */
async function serve(job: Job): Promise<Result> {
  const { world, settings, runner, trigger, choice, github } = job

  // The model's libraries load while GitHub answers; what goes wrong with them is met again where the model is needed.
  openModel(choice).then(warm, () => undefined)

  const place = placeOf(trigger)
  const discussion = place && (await github.discussion(place.number))
  const { viewer, defaultBranch } = discussion ?? (await github.repository())
  const key = settings.sessionKey ? sessionKey(settings.sessionKey) : undefined
  const thread = loadThread(discussion?.comments ?? [], { viewer: viewer.login, mode: settings.session, key })
  if (place?.request !== undefined && thread.session?.handled.includes(place.request)) return skipped('This comment was answered already.')

  const plan = planWork(settings.baseBranch ?? defaultBranch, discussion, thread.session)
  const opening = openCheckout(job, viewer, plan)
  opening.catch(() => undefined)

  const desk = place ? await openDesk(github, place, workingBody(runner.runUrl)) : silentDesk
  rememberDesk(world, place, desk)
  const progress: Progress = { before: thread.messages.length }
  const signal = AbortSignal.any([world.signal, AbortSignal.timeout(settings.timeoutMinutes * 60_000)])

  try {
    if (trigger.verb.type === 'help') return await sayHelp(job, desk, progress)
    if (trigger.verb.type !== 'prompt' && trigger.verb.type !== 'continue') throw notAvailable(trigger.verb)
    if (discussion?.pull?.isFork) throw forkNotAvailable()

    const checkout = await opening
    progress.checkout = checkout
    const session = thread.session ?? newSession(job, discussion, await checkout.workspace.recentFiles(20))
    const context = contextOf(job, discussion, session)
    const seen = context ? { seen: context.seen } : {}
    const { engine, store, shell } = await assemble(job, checkout, { ...session, ...seen, model: modelOf(choice) }, thread.messages, signal)
    progress.store = store
    const parts = partsOf(trigger, context)
    const last = await (trigger.verb.type === 'continue' ? engine.loop() : engine.prompt({ parts, source: sourceOf(trigger) })).finally(shell.close)
    if (last.info.role === 'assistant' && last.info.error) throw new ModelFailure(last.info.error)

    const changes = await checkout.workspace.changes(checkout.start)
    const answer = answerOf(last, changes.files)
    progress.answer = answer
    const landing = await publishWork(job, plan, checkout, changes, answer, discussion?.title)
    if (landing) progress.landing = landing

    const notes = [...desk.notes, ...(context?.notes ?? []), ...changes.warnings]
    const saved = discussion && (await postReply(job, { discussion, desk, store, before: progress.before, answer, landing, seq: thread.seq + 1, key, notes }))
    return await succeeded(job, progress, { notes: [...thread.warnings, ...notes, ...(saved?.notes ?? [])], comment: saved?.comment })
  } catch (error) {
    return await failed(job, progress, desk, error)
  } finally {
    await desk.leave()
    world.remember('finished', 'true')
  }
}

/** The thread a request came from; a schedule has none. */
function placeOf(trigger: Trigger): Place | undefined {
  if (!('subject' in trigger)) return undefined
  return { number: trigger.subject.number, request: trigger.event === 'issue_comment' ? trigger.comment.id : undefined }
}

/** So that the clean-up step can take back the reaction and mend the comment when this process is killed. */
function rememberDesk({ remember }: World, place: Place | undefined, { comment, reaction }: Desk): void {
  if (!place) return
  remember('number', String(place.number))
  if (place.request !== undefined) remember('request', String(place.request))
  if (comment) remember('comment', String(comment.id))
  if (reaction !== undefined) remember('reaction', String(reaction))
}

function modelOf({ info }: ModelChoice): ModelRef {
  return { providerID: info.providerID, modelID: info.modelID }
}

async function sayHelp(job: Job, desk: Desk, progress: Progress): Promise<Result> {
  const answer = helpText(job.settings.triggers)
  const comment = await desk.say(answer)
  return succeeded(job, { ...progress, answer }, { notes: desk.notes, comment })
}
