import { decide, needsPermission } from './access/decide.ts'
import { checkJobConfig } from './config/load.ts'
import { readPayload } from './event/file.ts'
import { readEvent } from './event/read.ts'
import { connect } from './github/client.ts'
import { ModelError } from './model/errors.ts'
import { openModel } from './model/open.ts'
import { readOnly } from './publish/staged-walls.ts'
import { notesOf } from './run/account.ts'
import { answer, shellAnswer } from './run/answer.ts'
import { assemble, newSession } from './run/assemble.ts'
import { cancelOther, ended, sayHelp } from './run/cancel.ts'
import { type Ahead, openAhead, openCheckout } from './run/checkout.ts'
import { nothingToContinue } from './run/complaints.ts'
import { failed, type Progress, skipped } from './run/conclude.ts'
import { closeUp } from './run/dead.ts'
import { finish } from './run/finish.ts'
import { takeFloor } from './run/floor.ts'
import { type Hearing, openHearing } from './run/hearing.ts'
import type { Job, Request, Result, World } from './run/job.ts'
import { learn } from './run/knowledge.ts'
import { chooseEarly, type Models, secretsOfAll } from './run/models.ts'
import { openPresence } from './run/presence.ts'
import { publishWork } from './run/publish.ts'
import { bringBack } from './run/resume.ts'
import { placeOf, planFor, readScene } from './run/scene.ts'
import { whyNot } from './run/skip.ts'
import { tell } from './run/told.ts'
import { takeBack } from './run/undo.ts'
import { answerOf } from './run/words.ts'
import { warm } from './session/engine.ts'
import { refOf } from './session/fallback.ts'
import { compileSchema } from './session/schema.ts'
import { readSettings } from './settings/read.ts'
import { readRunner } from './settings/runner.ts'
import { dropBallast, layBallast } from './workspace/ballast.ts'

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
  if (settings.outputSchema) await compileSchema(settings.outputSchema)
  const early = chooseEarly(settings, world.env)
  if (!(early instanceof ModelError)) for (const secret of secretsOfAll(early)) world.redactor.add(secret)

  const gateway = connect({ token: settings.githubToken, apiUrl: runner.apiUrl, graphqlUrl: runner.graphqlUrl, owner: runner.owner, repo: runner.repo })
  const github = settings.mode === 'staged' ? readOnly(gateway) : gateway
  const permission = needsPermission(trigger, settings) ? { permission: await github.permission(trigger.actor.login) } : {}
  const verdict = decide({ trigger, ...settings, ...permission })
  if (!verdict.allowed) return skipped(verdict.reason)
  world.log.info(`Running, because ${verdict.because}.`)

  return serve({ world, settings, runner, trigger, github }, early)
}

/** Serves a request that passed the gate, and what it is left with in its thread meanwhile: requests that could not be served inside the same turn. */
async function serve(request: Request, early: Models | ModelError): Promise<Result> {
  const ahead = openAhead(request)
  // Where there is no room even for that, whatever needs some says so.
  const ballast = layBallast(request.runner.temp).catch(() => undefined)
  try {
    let named: readonly string[] = []
    let before: Result | undefined
    for (;;) {
      const turn = await takeTurn(request, early, ahead, named, before === undefined)
      if (turn === 'again') continue
      const result = before && before.conclusion !== 'success' ? before : (turn.result ?? before ?? skipped('The request was taken back.'))
      if (turn.pending.length === 0) {
        request.world.remember('finished', 'true')
        return result
      }
      before = result
      named = turn.pending
    }
  } finally {
    await Promise.all([ahead.settled(), ballast])
    await dropBallast(request.runner.temp)
  }
}

/** What became of one turn. */
interface Turned {
  /** Absent where there was nothing left to do. */
  readonly result?: Result
  /** Requests that still wait for this run. */
  readonly pending: readonly string[]
}

const over = (result: Result): Turned => ({ result, pending: [] })

/** One turn of the session: `again` when the thread has changed so that it has to be read afresh. */
async function takeTurn(given: Request, early: Models | ModelError, ahead: Ahead, named: readonly string[], isFirst: boolean): Promise<Turned | 'again'> {
  const { world, settings } = given
  // The model's libraries load while GitHub answers; what goes wrong with them is met again where the model is needed.
  if (!(early instanceof ModelError)) openModel(early.choice).then(warm, () => undefined)

  const scene = await readScene(given)
  const { discussion, thread, past } = scene
  const reason = isFirst ? whyNot(given, scene) : undefined
  if (reason !== undefined) return over(skipped(reason))
  if (given.trigger.verb.type === 'cancel') return over(await cancelOther(given, scene))
  if (given.trigger.verb.type === 'help') return over(await sayHelp(given))

  const stop = new AbortController()
  const halt = AbortSignal.any([world.signal, stop.signal])
  const signal = AbortSignal.any([halt, AbortSignal.timeout((settings.timeoutMinutes + BACKSTOP) * 60_000)])
  const planning = planFor(given, scene)
  const opening = planning.then((plan) => openCheckout(given, ahead, scene.viewer, plan))
  const learning = opening.then(async (checkout) => learn(given, checkout, await planning, early, signal))
  learning.catch(() => undefined)
  // Where the job names no model that can be used, only the repository can, and nobody is told to wait before one is found (C171).
  const models = early instanceof ModelError ? (await learning).models : early

  const floor = await takeFloor(given, scene, placeOf(given), named)
  if (floor.kind === 'again') return 'again'
  if (floor.kind === 'taken') return over(ended('handed-over', `Answered by run ${floor.run}, which is at work on this thread.`))
  if (floor.kind === 'stopped') return over(ended('cancelled', 'The run was stopped while it waited for another one.'))
  const { desk } = floor

  const presence = openPresence(given, scene, floor)
  const progress: Progress = { before: past.before }
  let job: Job = { ...given, ...models }
  let hearing: Hearing | undefined
  try {
    hearing = await openHearing(given, scene, floor, { named, isFirst, onPromise: presence.touch, stop })
    if (!hearing) {
      await desk.vacate()
      return { pending: [] }
    }
    const { inbox, trigger } = hearing
    const request: Request = { ...given, trigger }
    job = { ...request, ...models }
    if (trigger.verb.type === 'continue' && !past.session) throw nothingToContinue()

    const checkout = await opening
    const plan = await planning
    progress.checkout = checkout
    if (trigger.verb.type === 'undo') {
      const { store, answer: words } = await takeBack(job, scene, plan, checkout, halt)
      inbox.close()
      progress.store = store
      progress.answer = words
      return { result: await finish(job, progress, { scene, floor, presence, hearing, words, notes: hearing.notes }), pending: inbox.pending() }
    }

    const [knowledge, recent] = await Promise.all([learning, past.session ? [] : checkout.workspace.recentFiles(20)])
    job = { ...request, ...knowledge.models }
    const session = past.session ?? newSession(job, discussion, knowledge.agent.name, recent)
    const lost = await bringBack(checkout, past)
    const telling = await tell(job, scene, session, !past.session, { ...plan, notices: [...plan.notices, ...lost], served: inbox.promised() })
    const { context } = telling
    const known = { ...session, ...(context ? { seen: context.seen } : {}), model: refOf(job.choice) }
    const assembly = await assemble({ job, scene, checkout, knowledge, session: known, history: past.messages, inbox, listen: presence.listen, signal })
    const { engine, store, children } = assembly
    progress.store = store
    progress.children = children
    presence.begin({ store, subtasks: () => children.list, checkout, ...hearing })
    const notes: string[] = []
    const last = await answer({ job, assembly, knowledge, told: telling, inbox, stop: halt, notes }).finally(async () => {
      progress.sandbox = await assembly.sandbox()
      await assembly.close()
    })

    const changes = await checkout.workspace.changes(checkout.start, world.redactor.holds)
    const words = shellAnswer(last) ?? answerOf(last, changes.files)
    progress.answer = words
    if (last.info.role === 'assistant' && last.info.structured !== undefined) progress.structured = JSON.stringify(last.info.structured)
    if (job.small) await engine.title()
    await presence.stop()
    // Not before: up to the push somebody may still say `cancel`.
    inbox.close()
    const title = (job.small && store.session.title) || discussion?.title
    const subject = discussion && { number: discussion.number, isPull: discussion.pull !== undefined }
    const landing = await publishWork(job, { plan, checkout, changes, answer: words, title, isFirst: !past.session, subject, signal: halt })
    if (landing) progress.landing = landing

    const all = [...notes, ...telling.notes, ...notesOf(engine.account()), ...changes.warnings, ...knowledge.instructions.notes, ...assembly.notes]
    const quiet = [...thread.warnings, ...knowledge.config.notes]
    const intents = assembly.intents?.()
    const result = await finish(job, progress, { scene, floor, presence, hearing, words, intents, notes: [...hearing.notes, ...all], quiet })
    return { result, pending: inbox.pending() }
  } catch (error) {
    // Who asked for these has been told that this run answers them, and they are none of what has failed.
    const pending = halt.aborted ? [] : (hearing?.inbox.pending() ?? [])
    hearing?.inbox.close()
    await presence.stop()
    const result = await failed(job, progress, { desk, parting: presence.parting, stop: halt }, error)
    await closeUp(job, { scene, floor, hearing })
    return { result, pending }
  } finally {
    hearing?.inbox.close()
    await presence.stop()
    // Where it was not needed after all: the end of the process must not cut git off in the middle of a checkout.
    await opening.catch(() => undefined)
    await desk.leave()
  }
}
