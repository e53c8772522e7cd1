import type { RunResult } from '../../src/local/runner.ts'
import type { World } from '../../src/local/world.ts'
import type { Fault } from './kinds.ts'
import { type Found, placesOf } from './look.ts'
import type { Scenario } from './scenarios.ts'
import type { GoneOn, Played } from './stage.ts'

/** What must hold whatever went wrong. Each function returns what does not, in sentences. */

export interface Case {
  readonly world: World
  readonly scenario: Scenario
  readonly fault: Pick<Fault, 'name' | 'isFinal' | 'isDeadly'>
  readonly number: number
  /** What the same scenario leaves behind when nothing goes wrong. */
  readonly clean: Clean | undefined
  /** The thread has held the edit before the fault came. */
  readonly isKept: boolean
}

export interface Clean {
  readonly branches: number
  readonly commits: number
  readonly pulls: number
}

/** After the run, and its clean-up step where it was killed. */
export async function afterRun(given: Case, found: Found, { result, made }: Played): Promise<string[]> {
  const { scenario, fault } = given
  const { edit, finding } = scenario
  const places = edit ? await placesOf(found, edit, [result]) : []
  const isDone = result.outputs.conclusion === 'success'
  const text = found.said.map((each) => each.text).join('\n')
  const isKept = !finding || !isTaken(found, finding.call) || [...found.remarks, ...found.reviews, text].some((each) => each.includes(finding.title))
  const isOnRemote = places.some((place) => place.startsWith('branch'))
  return [
    ...(edit && made && places.length === 0 ? ['the edit is lost'] : []),
    ...(edit && isDone && !made ? ['it says success without the edit'] : []),
    ...(isDone && !isKept ? ['the finding is lost'] : []),
    ...(scenario.cancelled && result.outputs.conclusion === 'cancelled' && isOnRemote ? ['it pushed although it was cancelled'] : []),
    ...(made && forgets(given, found, text) ? ['the thread does not remember the edit'] : []),
    // Where nothing gets through, nothing can be said.
    ...(fault.isFinal ? [] : working(found)),
    ...(await untrue(given, found, places)),
    ...(await unfounded(given, result)),
    ...twice(given, found),
    ...(result.code === null && !fault.isDeadly ? ['the run was killed'] : []),
    ...faults(result),
  ]
}

/** After a further request, which nothing disturbed; `before` is what it found. */
export async function afterNext(given: Case, before: Found, found: Found, { result: first, made }: Played, { result, recalls }: GoneOn): Promise<string[]> {
  const { edit } = given.scenario
  const places = edit ? await placesOf(found, edit, [first, result]) : []
  const isDone = result.code === 0 && result.outputs.conclusion === 'success'
  return [
    ...(isDone ? [] : [`it ended as ${result.outputs.conclusion}: ${result.outputs.reason}`]),
    ...(edit && made && places.length === 0 ? ['the edit is lost'] : []),
    ...(edit && remembers(before, edit.call) && !recalls ? ['the model was not told of the edit'] : []),
    ...working(found),
    ...(await untrue(given, found, places)),
    ...(await unfounded(given, result)),
    ...twice(given, found),
    ...faults(result),
  ].map((each) => `next request: ${each}`)
}

/** Whether the thread should remember the edit and does not, nor says so. A run that is killed remembers what it had written by then. */
function forgets({ scenario, fault, isKept }: Case, found: Found, text: string): boolean {
  if (!scenario.edit || scenario.staged || remembers(found, scenario.edit.call)) return false
  if (fault.isFinal || fault.isDeadly) return isKept
  return !/will not know of this one/.test(text)
}

/** Whether a call came through: of one that failed its model was told, and people hear of it from there. */
function isTaken({ thread }: Found, call: string): boolean {
  return thread.messages.some(({ parts }) => parts.some((part) => part.type === 'tool' && part.callID === call && part.state.status === 'completed'))
}

function remembers({ thread }: Found, call: string): boolean {
  return [...thread.messages, ...(thread.checkpoint?.messages ?? [])].some(({ parts }) => parts.some((part) => part.type === 'tool' && part.callID === call))
}

/** What the bot says where it could not change a comment of a run that is over. */
const unedited = 'A comment above could not be changed and may still say that this run is at work.'

function working({ said }: Found): string[] {
  if (said.at(-1)?.text.includes(unedited)) return []
  return said.filter(({ isWorking }) => isWorking).map(({ text }) => `a comment still says that it is at work: ${text.slice(0, 60)}`)
}

/** What the comments say and is not so. */
async function untrue({ world, scenario, fault }: Case, { said, branches }: Found, places: readonly string[]): Promise<string[]> {
  const text = said.map((each) => each.text).join('\n')
  const commits = [...text.matchAll(/\/commit\/([0-9a-f]{40})/g)].map(([, commit = '']) => commit)
  const gone = (await Promise.all(commits.map((commit) => isThere(world, 'cat-file', '-e', `${commit}^{commit}`)))).filter((is) => !is)
  const named = [...text.matchAll(/(?:Opened|to) #(\d+)/g)].map(([, number]) => Number(number))
  const remote = branches.filter(({ hasEdit }) => hasEdit)
  const newest = said.at(-1)?.text ?? ''
  const denies = /not pushed|nothing of (?:this run|it) (?:was|had been) pushed|nothing was pushed/i.test(newest)
  const isOnlyFile = places.length > 0 && places.every((place) => place === 'patch-path')
  return [
    ...(gone.length > 0 ? ['a comment names a commit that is not there'] : []),
    ...named.filter((number) => !world.github.state.threads.has(number)).map((number) => `a comment names #${number}, which is not there`),
    ...(denies && remote.length > 0 ? [`a comment says that nothing was pushed, and it was, to ${remote.map(({ name }) => name).join(', ')}`] : []),
    ...(isOnlyFile && !fault.isFinal && !scenario.staged && !text.includes('patch-path') ? ['no comment says where the edits are'] : []),
  ]
}

const isThere = (world: World, ...args: string[]): Promise<boolean> =>
  world.remote(...args).then(
    () => true,
    () => false,
  )

/** Outputs that name what is not there. */
async function unfounded({ world }: Case, { outputs }: RunResult): Promise<string[]> {
  const { branch, 'commit-sha': commit, 'pull-request-number': pull } = outputs
  return [
    ...(branch && !(await isThere(world, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`))
      ? [`the output branch names ${branch}, which is not there`]
      : []),
    ...(commit && !(await isThere(world, 'cat-file', '-e', `${commit}^{commit}`)) ? ['the output commit-sha names a commit that is not there'] : []),
    ...(pull && !world.github.state.threads.has(Number(pull)) ? [`the output pull-request-number names ${pull}, which is not there`] : []),
  ]
}

/** What is there more often than it should be. */
function twice({ fault, clean, scenario }: Case, { said, branches, pulls, reviews, remarks }: Found): string[] {
  const runs = said.flatMap(({ text }) => [...new Set([...text.matchAll(/\/actions\/runs\/(\d+)/g)].map(([, run]) => run))])
  const isTold = said.some(({ text }) => text.includes(unedited))
  const doubled = new Set(isTold ? [] : runs.filter((run, index) => runs.indexOf(run) !== index))
  const ours = branches.filter(({ name }) => name.startsWith('opencode/'))
  // A branch of somebody else's took the name, or the branch did not take the work.
  const spare = fault.name.startsWith('push ') ? 1 : 0
  const commits = Math.max(0, ...branches.map((branch) => branch.commits.length))
  return [
    ...(doubled.size > 0 ? [`run ${[...doubled].join(', ')} speaks in more than one comment`] : []),
    ...(clean && ours.length > clean.branches + spare ? [`there are branches too many: ${ours.map(({ name }) => name).join(', ')}`] : []),
    ...(clean && commits > clean.commits ? [`a branch has ${commits} commits where ${clean.commits} were to be made`] : []),
    ...(clean && pulls.length > clean.pulls + spare ? [`there are pull requests too many: ${pulls.join(', ')}`] : []),
    ...(reviews.length > (scenario.finding === undefined ? 0 : 1) && new Set(remarks).size !== remarks.length ? ['a remark was posted twice'] : []),
  ]
}

/** Faults of our own, which nothing from outside may lead to. */
function faults({ stdout, stderr }: RunResult): string[] {
  const text = `${stdout}\n${stderr}`
  return /fault of its own|Unhandled|TypeError|ReferenceError/.test(text)
    ? [`a fault of our own: ${/.*(?:fault of its own|Unhandled|TypeError|ReferenceError).*/.exec(text)?.[0]}`]
    : []
}
