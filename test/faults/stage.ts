import { join } from 'node:path'
import { newRunId, type RunResult } from '../../src/local/runner.ts'
import { createWorld, runPost, type World } from '../../src/local/world.ts'
import { type Disk, smallDisk } from './disk.ts'
import type { Armed, Field } from './kinds.ts'
import { memoryOf, wasMade } from './look.ts'
import { ask, type Scenario, scriptOf, seed, users } from './scenarios.ts'
import { openWire } from './wire.ts'

/** A world in which a scenario is played: people, the model, and the machines that the action runs on. */
export interface Stage extends Field {
  readonly scenario: Scenario
  readonly number: number
  /** Of the run that meets the fault. */
  readonly runId: string
  readonly act: Act
  /** A checkout for a run beside the first. */
  readonly second: { readonly workspace: string; readonly temp: string }
}

export interface Played {
  readonly result: RunResult
  /** What the run beside it came to. */
  readonly beside: RunResult | undefined
  /** Whether the model's edit was in the checkout. */
  readonly made: boolean
  /** Number of exchanges with GitHub when it was over. */
  readonly end: number
}

export interface GoneOn {
  readonly result: RunResult
  /** Whether its model saw the call that made the edit, or was not asked because the answer to the first request was there already. */
  readonly recalls: boolean
}

/** Longest time that the model waits for the checkpoint, and that somebody waits to be heard who says `cancel`, in ms of the sweep's own clock. */
const patience = 2_000
const hearing = 8_000

/** What the model waits for before its last words, so that a run can be met in the middle of its work. */
class Act {
  isOn = false
  /** The thread has held a checkpoint with the edit. */
  isKept = false
  readonly reached = Promise.withResolvers<void>()

  async wait(isOver: () => boolean, longest: number): Promise<void> {
    this.reached.resolve()
    const until = performance.now() + longest
    while (this.isOn && !isOver() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 15))
  }
}

/** Opens a world for a scenario, plays in it, and closes it. */
export async function onStage<T>(bundle: string, scenario: Scenario, isSmall: boolean, play: (stage: Stage) => Promise<T>): Promise<T> {
  const act = new Act()
  const { edit, cancelled } = scenario
  const runId = newRunId()
  let number = 0
  const ready = async () => {
    if (!edit) return
    if (cancelled) return act.wait(() => false, 2 * hearing)
    await act.wait(() => (act.isKept ||= memoryOf(world, number).checkpoint?.turn.work?.patch?.includes(edit.text) === true), patience)
  }
  const world: World = await createWorld({ env: process.env, bundle, seed, users, labels: ['bug'], script: scriptOf(scenario, ready) })
  const wire = await openWire(world.model?.baseUrl ?? '')
  let disk: Disk | undefined
  try {
    number = await scenario.open(world)
    const second = cancelled ? await world.machine('second') : { workspace: '', temp: '' }
    await world.checkout()
    // Of the one machine: a run beside it has a disk of its own.
    if (isSmall) disk = await smallDisk([world.temp, join(world.folder, 'runs', runId)])
    return await play({ world, wire, disk, scenario, number, runId, act, second })
  } finally {
    wire.close()
    await disk?.close()
    await world.close()
  }
}

/** The request of a scenario, with whatever was put in its way, and the clean-up step after a run that did not end by itself. */
export async function playOn({ world, wire, scenario, number, runId, act, second }: Stage, armed?: Armed): Promise<Played> {
  const { edit, asks, inputs } = scenario
  const { workspace } = world
  act.isOn = true
  const running = ask(world, number, asks, { ...inputs, 'base-url': wire.baseUrl }, { runId, ...(armed?.stop ? { stop: armed.stop } : {}) })
  const over = running.then(() => undefined)
  const beside = scenario.cancelled ? await cancelAfter(Promise.race([act.reached.promise, over]), over) : undefined
  const { input, result } = await running
  act.isOn = false
  const end = world.github.journal.length
  await armed?.lift()
  if (result.state.finished === undefined) await runPost(world, { ...input, runId: result.runId }, result.state)
  return { result, beside, end, made: edit !== undefined && (await wasMade(workspace, edit)) }

  async function cancelAfter(moment: Promise<void>, ended: Promise<void>): Promise<RunResult> {
    await moment
    const cancelling = ask(world, number, 'cancel', inputs, second)
    await Promise.race([Promise.all([cancelling, ended]), new Promise((resolve) => setTimeout(resolve, hearing))])
    act.isOn = false
    return (await cancelling).result
  }
}

/** A further request on a fresh machine, by somebody who saw what became of the first. */
export async function goOn({ world, scenario, number }: Stage, words: string): Promise<GoneOn> {
  await world.checkout()
  const before = world.model?.requests().length ?? 0
  const { result } = await ask(world, number, words, scenario.inputs)
  const first = world.model?.requests()[before]
  return { result, recalls: first?.messages.some((message) => message.tool_call_id === scenario.edit?.call) ?? true }
}
