import { setTimeout as delay } from 'node:timers/promises'
import { issueCommentPayload } from './github/payloads.ts'
import type { PushAttempt, Thread } from './github/state.ts'
import type { Script } from './model.ts'
import { indent, seconds } from './print.ts'
import type { RunInput, RunResult } from './runner.ts'
import { pushText, threadText } from './tour-print.ts'
import { runAction, type World } from './world.ts'

/** What a scene promised, and whether it came so. */
interface Claim {
  readonly told: string
  readonly holds: boolean
}

export interface Scene {
  readonly name: string
  /** Plays and prints it. */
  play(stage: Stage): Promise<readonly Claim[]>
}

/** What the scenes play on. */
export interface Stage {
  readonly world: World
  readonly print: (text: string) => void
  /** What the model says from here on. */
  follow(script: Script): void
  issue(author: string, title: string, body: string): Thread
  /** Somebody pushes a branch and opens a pull request for it. */
  pull(author: string, branch: string, files: Readonly<Record<string, string>>, title: string, body: string): Promise<Thread>
  /** Somebody comments, and the run that the comment starts plays to its end, on a machine of its own where a name is given. */
  comment(thread: Thread, author: string, text: string, machine?: string): Promise<RunResult>
  /** `whose` names the run in what is printed. */
  run(whose: string, input: RunInput): Promise<RunResult>
  /** Requests to the model since the scene began, as texts. */
  asked(): readonly string[]
  /** Pushes over the wire since the scene began. */
  pushes(): readonly PushAttempt[]
  /** Prints the thread as GitHub shows it, pull requests that the bot opened in this scene, and what was pushed. */
  show(thread: Thread): Promise<void>
}

/** The longest the model waits for something to come about, in ms. */
const patience = 20_000

/** Waits for something, but not for ever: a scene that went wrong has to end too. Nobody hears how it ended. */
export const within = (work: Promise<unknown>): Promise<unknown> => Promise.race([work.catch(() => undefined), delay(patience, undefined, { ref: false })])

/** A stage whose model follows the scene that is being played. */
export function openStage(print: (text: string) => void): { script: Script; at(world: World): Stage } {
  let script: Script = () => ({ text: 'There is no scene.' })
  return {
    script: (conversation) => script(conversation),
    at: (world) => stageIn(world, print, (next) => (script = next)),
  }
}

function stageIn(world: World, print: (text: string) => void, follow: (script: Script) => unknown): Stage {
  const { github } = world
  const before = { model: world.model?.requests().length ?? 0, pushes: github.state.pushes.length, thread: Math.max(0, ...github.state.threads.keys()) }
  const pushes = () => github.state.pushes.slice(before.pushes)
  const inputs = { model: 'scripted/tour', 'base-url': world.model?.baseUrl ?? '' }

  const run = async (whose: string, input: RunInput): Promise<RunResult> => {
    const result = await runAction(world, { ...input, inputs: { ...inputs, ...input.inputs } })
    const { conclusion = `status ${result.code}`, reason = '' } = result.outputs
    print(
      `  ${whose} run (${result.runId}) ends after ${seconds(result.duration)}: ${conclusion}. ${reason.length > 200 ? `${reason.slice(0, 200)}…` : reason}`,
    )
    if (result.outputs.conclusion === undefined) print(indent(`${result.stdout}${result.stderr}`.trim().split('\n').slice(-20).join('\n'), '    '))
    return result
  }
  return {
    world,
    print,
    follow,
    run,
    issue(author, title, body) {
      const thread = github.openIssue({ author, title, body })
      print(`${author} opens issue #${thread.number}: ${title}`)
      return thread
    },
    async pull(author, branch, files, title, body) {
      await world.push(branch, files, github.state.defaultBranch, { actor: author, message: title })
      const thread = await github.openPull({ author, head: branch, title, body })
      print(`${author} opens pull request #${thread.number} (${branch}): ${title}`)
      return thread
    },
    async comment(thread, author, text, machine) {
      const { id } = github.comment(thread.number, author, text)
      print(`${author} comments: ${text}`)
      const place = machine === undefined ? {} : await world.machine(machine)
      if (machine === undefined) await world.checkout()
      return run(`${author}'s`, { event: 'issue_comment', payload: issueCommentPayload(github, id), ...place })
    },
    asked: () => (world.model?.requests() ?? []).slice(before.model).map(({ messages }) => JSON.stringify(messages)),
    pushes,
    async show(thread) {
      const opened = [...github.state.threads].filter(([number, { author }]) => number > before.thread && author === github.state.viewer)
      print(`\n${[thread, ...opened.map(([, each]) => each)].map(threadText).join('')}`)
      const lines = await Promise.all(pushes().map((push) => pushText(push, world.remote)))
      print(lines.length > 0 ? `Pushed\n\n${indent(lines.join('\n\n'))}` : 'Pushed: nothing.')
    },
  }
}
