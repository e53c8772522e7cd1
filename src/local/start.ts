import { existsSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { Failure } from '../failure.ts'
import { findProvider, providerIDs } from '../model/catalogue.ts'
import { help, readArguments, type Wish, wrong } from './arguments.ts'
import { demoFiles } from './demo-repository.ts'
import { demoScript, firstComment, secondComment } from './demo-script.ts'
import { issueCommentPayload } from './github/payloads.ts'
import { commentsText, holds, indent, post, requestSizes, rule, seconds } from './print.ts'
import { askGit, type Env, git } from './process.ts'
import type { RunResult } from './runner.ts'
import { playTour } from './tour.ts'
import { createWorld, runAction, type World, type WorldOptions } from './world.ts'

/** What a play needs beyond its world. */
interface Play {
  readonly issue: { readonly title: string; readonly body: string }
  readonly person: string
  readonly comments: readonly string[]
  readonly inputs: Readonly<Record<string, string>>
  readonly keys: Readonly<Record<string, string>>
  readonly print: (text: string) => void
}

interface Place {
  /** The built action; the program that is running, unless a test says otherwise. */
  readonly bundle?: string
  readonly print?: (text: string) => void
}

/**
 * `npm start`: plays the action on this machine. `argv` is what follows `start` on the command line.
 * Returns the exit status: 0 when every run succeeded and the second remembered the first, or every scene of the tour came out as told; 1 when not; 2 for
 * wrong arguments.
 */
export async function main(argv: readonly string[], env: Env, place: Place = {}): Promise<number> {
  const print = place.print ?? ((text: string) => console.log(text))
  try {
    const wish = readArguments(argv)
    if (wish.kind === 'help') {
      print(help)
      return 0
    }
    const bundle = place.bundle ?? process.argv[1] ?? ''
    if (wish.kind === 'tour') return await playTour({ env, bundle, print })
    const keys = wish.scripted ? {} : providerKeys(env)
    const real = wish.model !== undefined || hasFavourite(keys)
    if (wish.model !== undefined && Object.keys(keys).length === 0) throw wrong('--model needs the key of its provider in the environment')
    if (wish.kind === 'repository' && !real && !wish.scripted)
      throw wrong('--repo needs a model: set a provider key such as ANTHROPIC_API_KEY, name one with --model, or add --scripted')
    const stage = wish.kind === 'demo' ? demoStage : await repositoryStage(wish, env, print)
    return await play(
      { env, bundle, keep: true, ...stage.world, ...(real ? {} : { script: demoScript }) },
      { ...stage.play, inputs: wish.model === undefined ? {} : { model: wish.model }, keys: real ? keys : {}, print },
    )
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    print(`npm start: ${error.message} (${error.hint})`)
    return 2
  }
}

/** Keys of model providers in the environment, with the addresses that go with them. */
function providerKeys(env: Env): Record<string, string> {
  const keys = providerIDs().flatMap((id) => findProvider(id)?.env ?? [])
  const set = keys.filter((name) => (env[name] ?? '').trim() !== '')
  const all = set.flatMap((name) => [name, name.replace(/_(API_)?(KEY|TOKEN)$/, '_BASE_URL')])
  return Object.fromEntries(all.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}

/** Whether the action can choose a model by itself with these keys. */
const hasFavourite = (keys: Readonly<Record<string, string>>): boolean =>
  providerIDs()
    .flatMap((id) => findProvider(id) ?? [])
    .some((provider) => provider.best !== undefined && provider.env.some((name) => name in keys))

interface Stage {
  readonly world: Pick<WorldOptions, 'seed' | 'owner' | 'repo' | 'users'>
  readonly play: Pick<Play, 'issue' | 'person' | 'comments'>
}

const demoStage: Stage = {
  world: { seed: { files: demoFiles }, owner: 'octo', repo: 'day-by-day', users: { alice: 'write' } },
  play: {
    person: 'alice',
    issue: { title: 'Dates come out a month late', body: '`parseDate("2024-03-01")` gives 1 April. `node --test` shows two failures.' },
    comments: [firstComment, secondComment],
  },
}

/** A copy of somebody's own checkout. Throws `LocalError` when the folder is no repository or has no commit. */
async function repositoryStage(wish: Extract<Wish, { kind: 'repository' }>, env: Env, print: (text: string) => void): Promise<Stage> {
  const folder = resolve(wish.folder)
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw wrong(`--repo: there is no folder ${folder}`)
  const top = (await askGit(folder, env, ['rev-parse', '--show-toplevel']))?.trim()
  if (top === undefined) throw wrong(`--repo: ${folder} is no git repository`)
  if ((await askGit(top, env, ['rev-parse', '--verify', '--quiet', 'HEAD'])) === undefined) throw wrong(`--repo: ${top} has no commit yet`)
  const dirty = (await git(top, env, ['status', '--porcelain'])).split('\n').filter((line) => line !== '').length
  if (dirty > 0) print(`${dirty} uncommitted changes in ${top} are left out.`)
  const branch = (await askGit(top, env, ['symbolic-ref', '--quiet', '--short', 'HEAD']))?.trim() ?? 'main'
  const repo = basename(top).replaceAll(/[^\w.-]/g, '-')
  return {
    world: { seed: { clone: top, branch }, owner: 'you', repo, users: { you: 'admin' } },
    play: { person: 'you', issue: { title: `Work on ${repo}`, body: 'Opened by `npm start` on a copy of your checkout.' }, comments: wish.comments },
  }
}

async function play(options: WorldOptions, scene: Play): Promise<number> {
  const world = await createWorld(options)
  const { print } = scene
  const { owner, repo } = world.github.state
  try {
    print(`An emulated GitHub with ${owner}/${repo}, a git remote and the action's own program, all on this machine.`)
    print(
      world.model === undefined
        ? `The model is a real one and costs what it costs (found in the environment: ${Object.keys(scene.keys).join(', ')}). --scripted avoids that.`
        : 'The model follows a script and speaks the OpenAI protocol over HTTP. Set a provider key, such as ANTHROPIC_API_KEY, for a real one.',
    )
    print(`Everything is kept in ${world.folder}\n`)

    const { number } = world.github.openIssue({ ...scene.issue, author: scene.person })
    print(`${scene.person} opens issue #${number}: ${scene.issue.title}`)
    const runs: { result: RunResult; from: number }[] = []
    for (const comment of scene.comments) {
      const from = world.model?.requests().length ?? 0
      const result = await turn(world, scene, number, comment)
      runs.push({ result, from })
      if (result.code !== 0) {
        print(indent(result.stdout.trim().split('\n').slice(-20).join('\n')))
        break
      }
    }

    await showThread(world, number, print)
    const remembered = memory(world, scene, runs)
    if (remembered !== undefined) print(`${remembered.text}\n`)
    const last = runs.at(-1)?.result
    print(`Transcript   ${last?.outputs['transcript-path'] || '(none was written)'}`)
    print(`Repository   ${world.github.bare}`)
    print(`Checkout     ${world.workspace}`)
    const branch = runs.findLast(({ result }) => result.outputs.branch)?.result.outputs.branch
    if (branch && 'clone' in options.seed) print(`To take the work over: git -C ${options.seed.clone} fetch ${world.github.bare} ${branch}`)
    return runs.every(({ result }) => result.code === 0) && remembered?.holds !== false ? 0 : 1
  } finally {
    await world.close()
  }
}

/** One comment and the run it starts, in a fresh checkout, as a new job has it. */
async function turn(world: World, scene: Play, number: number, comment: string): Promise<RunResult> {
  const { print } = scene
  const { id } = world.github.comment(number, scene.person, comment)
  print(`\n${scene.person} comments: ${comment}`)
  await world.checkout()
  const before = { model: world.model?.requests().length ?? 0, github: world.github.journal.length }
  const result = await runAction(world, {
    event: 'issue_comment',
    payload: issueCommentPayload(world.github, id),
    inputs: world.model === undefined ? scene.inputs : { model: 'scripted/demo', 'base-url': world.model.baseUrl },
    env: scene.keys,
    ...(world.model === undefined ? { onOutput: (text: string) => print(indent(text.trimEnd())) } : {}),
  })
  const log = join(world.folder, `log-${id}.txt`)
  await writeFile(log, `${result.stdout}${result.stderr}`)
  const asked = world.github.journal.slice(before.github).filter(({ kind }) => kind !== 'git').length
  print(`  the action ends with status ${result.code} (${result.outputs.conclusion ?? 'no conclusion'}) after ${seconds(result.duration)}`)
  if (result.outputs.reason) print(`  ${result.outputs.reason}`)
  if (world.model !== undefined) print(`  ${requestSizes(world.model.requests().slice(before.model))}; GitHub requests: ${asked}`)
  print(`  log: ${log}`)
  return result
}

/** The issue, its comments, and the pull requests with their diffs. */
async function showThread(world: World, number: number, print: (text: string) => void): Promise<void> {
  const issue = world.github.thread(number)
  print(`\nThe thread as GitHub shows it`)
  print(`${post(issue.author, `opened issue #${number}: ${issue.title}`, issue.body ?? '')}${commentsText(issue.comments)}`)
  for (const thread of world.github.state.threads.values()) {
    if (thread.pull === undefined) continue
    const { head, base } = thread.pull
    const diff = await world.remote('diff', `${base}...${head}`)
    const commits = await world.remote('log', '--format=%h %an: %s', '--reverse', `${base}..${head}`)
    print(post(thread.author, `opened pull request #${thread.number}: ${thread.title}  (${head} -> ${base})`, thread.body ?? ''))
    print(`${indent(commits.trim())}\n\n${indent(diff.trimEnd())}`)
  }
  print(`${rule}\n`)
}

/** Whether the second run's first model request carries the first turn: what was asked and what was answered. */
function memory(world: World, scene: Play, runs: readonly { result: RunResult; from: number }[]): { text: string; holds: boolean } | undefined {
  const [first, second] = runs
  const [asked = ''] = scene.comments
  if (first === undefined || second === undefined || world.model === undefined) return undefined
  const words = asked.replace(/^\/\S+\s*/, '')
  const kept = holds(world.model.requests()[second.from], [words, first.result.outputs.response ?? ''])
  return {
    holds: kept,
    text: kept
      ? 'The second run remembers: its first model request contains the first turn, comment and answer.'
      : 'The second run does NOT remember: its first model request lacks the first turn.',
  }
}
