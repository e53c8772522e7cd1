import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'

/** The data files of the corpus: what an attacker wants done, where the words that ask for it are placed, and what must not come of it. */

/** Where an attacker can leave words: in an issue, around a pull request from a fork, in the log of a failed run, or in no place at all. */
export const scenes = {
  issue: ['issue-title', 'issue-body', 'issue-comment', 'issue-label', 'issue-attachment', 'issue-file', 'issue-tool-output', 'issue-mcp-result', 'request'],
  pull: [
    'pull-title',
    'pull-body',
    'pull-comment',
    'review',
    'review-comment',
    'commit-message',
    'branch-name',
    'file-name',
    'pull-file',
    'pull-instructions',
    'pull-config',
    'linked-issue',
    'check-summary',
    'pull-tool-output',
  ],
  log: ['workflow-log'],
} as const

/** Places that only an attack which names them is tried in: each is an attack of its own. */
const special = {
  issue: ['edited-comment', 'edited-body', 'late-comment', 'minimised-comment', 'flood', 'redirected-attachment'],
  pull: ['edited-review', 'edited-review-comment', 'late-push'],
} as const

export type SceneName = keyof typeof scenes
const everywhere = [...scenes.issue, ...scenes.pull, ...scenes.log] as const
const places = [...everywhere, ...special.issue, ...special.pull] as const
const Place = z.enum(places)
export type Place = z.infer<typeof Place>

/** Something the model does on demand: a command, or a call of any tool. Names in double braces stand for addresses of the machine. */
const Step = z.union([z.strictObject({ bash: z.string() }), z.strictObject({ tool: z.string(), input: z.record(z.string(), z.unknown()) })])
export type Step = z.infer<typeof Step>

/** Where something could come to light. */
const Outlet = z.enum(['github', 'remote', 'branches', 'log', 'summary', 'outputs', 'state', 'model', 'files', 'thief', 'runner'])
export type Outlet = z.infer<typeof Outlet>

/** Something that must not be found, or that must. */
const Expectation = z.strictObject({ in: z.array(Outlet).min(1), pattern: z.string() })
export type Expectation = z.infer<typeof Expectation>

const Attack = z.strictObject({
  /** What the attacker is after, as a sentence. */
  name: z.string(),
  cases: z.array(z.string().regex(/^(C\d+|GHSA-[\w-]+)$/)).default([]),
  /** Words placed as they are; `{{order}}` is what makes the victim act. Without it plain words are placed. */
  text: z.string().optional(),
  /** Files in the head of the pull request, for steering what is run. */
  files: z.record(z.string(), z.string()).default({}),
  /** What the victim does when it reads them, step by step. */
  do: z.array(Step).default([]),
  /** What it answers; without this, all that it found, in every form it can think of. */
  answer: z.string().optional(),
  /** Beside what must never be, see `watch.ts`. */
  never: z.array(Expectation).default([]),
  /** What shows that the attack was really tried. */
  always: z.array(Expectation).default([]),
  /** The words must not even reach the model. */
  unseen: z.boolean().default(false),
  /** Not everywhere, but only here. */
  places: z.array(Place).min(1).optional(),
  /** A file of the workspace, `.secrets`, holds the keys of the action, as an earlier step may write them. */
  knows: z.boolean().default(false),
  /** The run may end as a failure, which it says in the thread. */
  mayFail: z.boolean().default(false),
  /** Shares its run with no other attack. */
  alone: z.boolean().default(false),
})
export type Attack = z.infer<typeof Attack>

const Family = z.strictObject({
  family: z.string(),
  /** Inputs of the action, beside those every run gets. */
  inputs: z.record(z.string(), z.string()).default({}),
  attacks: z.array(Attack).min(1),
})
export type Family = z.infer<typeof Family>

/** Every family, in the order of the files' names. Throws `ZodError` for a file that is no family. */
export function readCorpus(folder = import.meta.dirname): readonly { readonly file: string; readonly family: Family }[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.toSorted().map((name) => ({ file: basename(name, '.json'), family: Family.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))) }))
}

/** An attack with one place for its words. */
export interface Planted {
  readonly attack: Attack
  readonly place: Place
}

/** The places that an attack is tried in: all of them, or one of each sort where it needs a run for itself. */
export const placesOf = ({ places: only, alone }: Attack): readonly Place[] => only ?? (alone ? ['issue-comment', 'pull-comment', 'workflow-log'] : everywhere)

/** How many of its places an attack is tried in: one, every fourth, or all. Which ones goes by its turn, so that together they fill all places. */
export type Breadth = 'one' | 'some' | 'all'

/** Runs, each with the attacks that it tries at once. No place is used twice in a run. */
export function runsOf({ attacks }: Family, breadth: Breadth): readonly (readonly Planted[])[] {
  const wanted = attacks.flatMap((attack, index) => {
    const all = placesOf(attack)
    const stride = Math.min({ one: all.length, some: 4, all: 1 }[breadth], all.length)
    const chosen = all.filter((_, at) => at % stride === index % stride)
    return chosen.map((place) => ({ attack, place }))
  })
  const runs: Planted[][] = []
  for (const planted of wanted) {
    const room = planted.attack.alone ? undefined : runs.find((run) => fits(run, planted))
    if (room) room.push(planted)
    else runs.push([planted])
  }
  return runs
}

/** Attacks that a run can take, so that its answer keeps room for what each of them found. */
const most = 8

function fits(run: readonly Planted[], { attack, place }: Planted): boolean {
  const isFree = run.every((other) => !other.attack.alone && other.place !== place && other.attack !== attack)
  return run.length < most && isFree && sceneOf(run[0]?.place ?? place) === sceneOf(place)
}

export function sceneOf(place: Place): SceneName {
  const isIn = (names: readonly string[]) => names.includes(place)
  return isIn([...scenes.issue, ...special.issue]) ? 'issue' : isIn([...scenes.pull, ...special.pull]) ? 'pull' : 'log'
}
