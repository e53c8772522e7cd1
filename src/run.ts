import { decide, needsPermission } from './access/decide.ts'
import { checkJobConfig } from './config/load.ts'
import { readPayload } from './event/file.ts'
import { readEvent } from './event/read.ts'
import type { Trigger } from './event/trigger.ts'
import { connect } from './github/client.ts'
import { ModelError } from './model/errors.ts'
import { openModel } from './model/open.ts'
import { type Desk, openDesk, type Place, silentDesk } from './publish/desk.ts'
import { planWork } from './publish/plan.ts'
import { workingBody } from './report/reply.ts'
import { beforeOf, notesOf } from './run/account.ts'
import { ask, isServed } from './run/ask.ts'
import { assemble, newSession } from './run/assemble.ts'
import { type Ahead, openAhead, openCheckout } from './run/checkout.ts'
import { forkNotAvailable, ModelFailure, notAvailable, nothingToContinue } from './run/complaints.ts'
import { failed, type Progress, skipped, succeeded } from './run/conclude.ts'
import type { Job, Request, Result, World } from './run/job.ts'
import { learn } from './run/knowledge.ts'
import { chooseEarly, type Models, secretsOfAll } from './run/models.ts'
import { postReply, publishWork } from './run/publish.ts'
import { answerOf, contextOf, helpText } from './run/words.ts'
import { warm } from './session/engine.ts'
import { refOf } from './session/fallback.ts'
import { readSettings } from './settings/read.ts'
import { readRunner } from './settings/runner.ts'
import { sessionKey } from './thread/codec.ts'
import { type LoadedThread, loadThread } from './thread/load.ts'

/** Minutes after the time for work in which a run that does not end by itself is stopped. */
const BACKSTOP = 5

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

  await checkJobConfig(world.env, settings.config)
  const early = chooseEarly(settings, world.env)
  if (!(early instanceof ModelError)) for (const secret of secretsOfAll(early)) world.redactor.add(secret)

  const github = connect({ token: settings.githubToken, apiUrl: runner.apiUrl, graphqlUrl: runner.graphqlUrl, owner: runner.owner, repo: runner.repo })
  const permission = needsPermission(trigger, settings) ? { permission: await github.permission(trigger.actor.login) } : {}
  const verdict = decide({ trigger, ...settings, ...permission })
  if (!verdict.allowed) return skipped(verdict.reason)
  world.log.info(`Running, because ${verdict.because}.`)

  return serve({ world, settings, runner, trigger, github }, early)
}

/** Serves a request that passed the gate. */
async function serve(request: Request, early: Models | ModelError): Promise<Result> {
  const ahead = openAhead(request)
  try {
    return await work(request, early, ahead)
  } finally {
    await ahead.settled()
  }
}

async function work(request: Request, early: Models | ModelError, ahead: Ahead): Promise<Result> {
  const { world, settings, runner, trigger, github } = request

  // The model's libraries load while GitHub answers; what goes wrong with them is met again where the model is needed.
  if (!(early instanceof ModelError)) openModel(early.choice).then(warm, () => undefined)

  const place = placeOf(trigger)
  const discussion = place && (await github.discussion(place.number))
  const { viewer, defaultBranch } = discussion ?? (await github.repository())
  const key = settings.sessionKey ? sessionKey(settings.sessionKey) : undefined
  const thread = loadThread(discussion?.comments ?? [], { viewer: viewer.login, mode: settings.session, key })
  if (place?.request !== undefined && isAnswered(place.request, thread)) return skipped('This comment was answered already.')

  const plan = planWork(settings.baseBranch ?? defaultBranch, discussion, thread.session)
  const signal = AbortSignal.any([world.signal, AbortSignal.timeout((settings.timeoutMinutes + BACKSTOP) * 60_000)])
  const opening = openCheckout(request, ahead, viewer, plan)
  const learning = opening.then((checkout) => learn(request, checkout, plan, early, signal))
  learning.catch(() => undefined)
  // Where the job names no model that can be used, only the repository can, and nobody is told to wait before one is found (C171).
  let job: Job = { ...request, ...(early instanceof ModelError ? (await learning).models : early) }

  const desk = place ? await openDesk(github, place, workingBody(runner.runUrl)) : silentDesk
  rememberDesk(world, place, desk)
  const progress: Progress = { before: beforeOf(thread.messages, thread.session) }

  try {
    if (trigger.verb.type === 'help') return await sayHelp(job, desk, progress)
    if (!isServed(trigger.verb)) throw notAvailable(trigger.verb)
    if (trigger.verb.type === 'continue' && !thread.session) throw nothingToContinue()
    if (discussion?.pull?.isFork) throw forkNotAvailable()

    const checkout = await opening
    progress.checkout = checkout
    const knowledge = await learning
    job = { ...request, ...knowledge.models }
    const session = thread.session ?? newSession(job, discussion, knowledge.agent.name, await checkout.workspace.recentFiles(20))
    const context = contextOf(request, discussion, session, thread.turns)
    const seen = context ? { seen: context.seen } : {}
    const known = { ...session, ...seen, model: refOf(job.choice) }
    const assembly = await assemble({ job, checkout, knowledge, session: known, history: thread.messages, signal })
    const { engine, store } = assembly
    progress.store = store
    progress.children = assembly.children
    const moved = !thread.session || thread.session.seen?.head !== context?.seen.head
    const last = await ask(job, assembly, knowledge, { thread: context?.text ?? '', moved }).finally(assembly.close)
    if (last.info.role === 'assistant' && last.info.error) throw new ModelFailure(last.info.error)
    if (world.signal.aborted) throw new ModelFailure({ name: 'MessageAbortedError', message: 'The run was stopped.' })

    const changes = await checkout.workspace.changes(checkout.start)
    const answer = answerOf(last, changes.files)
    progress.answer = answer
    if (job.small) await engine.title()
    const title = (job.small && store.session.title) || discussion?.title
    const landing = await publishWork(job, { plan, checkout, changes, answer, title, isFirst: !thread.session })
    if (landing) progress.landing = landing

    const missing = [...knowledge.instructions.notes, ...assembly.notes]
    const notes = [...desk.notes, ...notesOf(engine.account()), ...(context?.notes ?? []), ...changes.warnings, ...missing]
    const saved = discussion && (await postReply(job, { discussion, desk, store, before: progress.before, answer, landing, seq: thread.seq + 1, key, notes }))
    return await succeeded(job, progress, {
      notes: [...thread.warnings, ...knowledge.config.notes, ...notes, ...(saved?.notes ?? [])],
      comment: saved?.comment,
    })
  } catch (error) {
    return await failed(job, progress, desk, error)
  } finally {
    // Where it was not needed after all: the end of the process must not cut git off in the middle of a checkout.
    await opening.catch(() => undefined)
    await desk.leave()
    world.remember('finished', 'true')
  }
}

/** The thread a request came from; a schedule has none. */
function placeOf(trigger: Trigger): Place | undefined {
  if (!('subject' in trigger)) return undefined
  return { number: trigger.subject.number, request: trigger.event === 'issue_comment' ? trigger.comment.id : undefined }
}

/** Answers of turns that a maintainer hid count too: nobody wants them twice. */
function isAnswered(comment: number, { session, turns }: LoadedThread): boolean {
  return session?.handled.includes(comment) || turns.some((turn) => turn.handled.includes(comment))
}

/** So that the clean-up step can take back the reaction and mend the comment when this process is killed. */
function rememberDesk({ remember }: World, place: Place | undefined, { comment, reaction }: Desk): void {
  if (!place) return
  remember('number', String(place.number))
  if (place.request !== undefined) remember('request', String(place.request))
  if (comment) remember('comment', String(comment.id))
  if (reaction !== undefined) remember('reaction', String(reaction))
}

async function sayHelp(job: Job, desk: Desk, progress: Progress): Promise<Result> {
  const answer = helpText(job.settings.triggers)
  const comment = await desk.say(answer)
  return succeeded(job, { ...progress, answer }, { notes: desk.notes, comment })
}
