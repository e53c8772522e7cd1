import { z } from 'zod'
import type { Answer, Call, Script } from '../../src/local/model.ts'
import type { RunInput, RunResult } from '../../src/local/runner.ts'
import { runAction, type World } from '../../src/local/world.ts'
import { comments } from '../support/world.ts'
import { modelInputs } from './support.ts'

/** What tests of events, reviews and triage share: events of every kind, and what the model was told. */

/** Runs the action on an event, with the world's model. */
export function play(world: World, event: string, payload: object, input: Partial<RunInput> = {}): Promise<RunResult> {
  return runAction(world, { event, payload, ...input, inputs: { ...modelInputs(world), ...input.inputs } })
}

/** The texts of a request to the model, one after another; the newest unless told otherwise. */
export function told(world: World, index = -1): string {
  const messages = world.model?.requests().at(index)?.messages ?? []
  return messages.map(({ content }) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n'))).join('\n')
}

/** Names of the tools the newest request offers. */
export function offered(world: World): string[] {
  return (world.model?.requests().at(-1)?.tools ?? []).map((tool) => tool.function.name)
}

/** Calls some tools, one a step, then answers. Every turn counts its calls anew, by the ids it gives them. */
export function does(turns: Readonly<Record<string, readonly Pick<Call, 'name' | 'arguments'>[]>>, words = 'Done as asked.'): Script {
  return ({ messages, mayCall, result }): Answer => {
    const asked = messages.findLast(({ role, text }) => role === 'user' && Object.keys(turns).some((key) => text.includes(key)))
    const turn = Object.keys(turns).find((key) => asked?.text.includes(key)) ?? ''
    const calls = (turns[turn] ?? []).map((call, index) => ({ ...call, id: `${turn.replaceAll(/\W/g, '_')}_${index}` }))
    const next = calls.find(({ id }) => result(id) === undefined)
    return mayCall && next ? { calls: [next] } : { text: words }
  }
}

/** The newest comment under an issue or pull request, as a reader sees it. */
export function reply(world: World, number: number): string {
  return visible(comments(world, number).at(-1)?.body ?? '')
}

/** A text without what it hides. */
export function visible(body: string): string {
  return body.replaceAll(/<!--[\s\S]*?-->/g, '').trim()
}

/** The remarks of a pull request, thread by thread, as readers see them. */
export function threads(world: World, number: number) {
  return (world.github.thread(number).pull?.remarks ?? []).map(({ path, line, startLine, side, resolvedBy, comments: said }) => ({
    path,
    line,
    startLine,
    side,
    resolvedBy,
    said: said.map(({ author, body }) => ({ author, body: visible(body), raw: body })),
  }))
}

/** Everything that would change something at GitHub or its git, as `METHOD path`; questions in GraphQL change nothing. */
export function changes(world: World): string[] {
  return world.github.journal
    .filter(({ kind, method, path, body }) => {
      if (kind === 'git') return path.endsWith('/git-receive-pack')
      if (kind === 'graphql') return JSON.stringify(body ?? '').includes('mutation')
      return method !== 'GET'
    })
    .map(({ method, path }) => `${method} ${path}`)
}

const Nested = z.looseObject({})

/** A payload with one of its objects changed. */
export function changed(payload: object, field: string, change: object): object {
  const whole = Nested.parse(payload)
  return { ...whole, [field]: { ...Nested.parse(whole[field]), ...change } }
}

/** A pull request by alice, or from a fork by mallory, that changes a line of the code and adds the file head.txt; returns its number. */
export async function openChange(world: World, repository?: string): Promise<number> {
  const change = { 'src/date.js': 'export const parse = (text) => new Date(text)\nexport const both = [parse, parse]\n', 'head.txt': 'Of the head.\n' }
  await world.push('topic', change, 'main', repository === undefined ? {} : { repository, actor: 'mallory' })
  const input = { title: 'Parse twice', author: repository === undefined ? 'alice' : 'mallory', head: 'topic' }
  return (await world.github.openPull({ ...input, ...(repository === undefined ? {} : { headRepository: repository }) })).number
}

/** Names of the remote's branches. */
export async function branches(world: World): Promise<string[]> {
  return (await world.remote('branch', '--format=%(refname:short)')).trim().split('\n').toSorted()
}
