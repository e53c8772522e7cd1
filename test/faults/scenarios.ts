import { issueCommentPayload } from '../../src/local/github/payloads.ts'
import type { Call, Script } from '../../src/local/model.ts'
import type { RunInput, RunResult } from '../../src/local/runner.ts'
import { runAction, type World } from '../../src/local/world.ts'

/** The main paths of the action, each as what people do and what the model wants. */

export interface Scenario {
  readonly name: string
  readonly inputs?: Readonly<Record<string, string>>
  /** What the model does, by words of the request that it is asked with. */
  readonly turns: readonly Turn[]
  /** Prepares a world; returns the number of the issue or pull request in which the request is made. */
  open(world: World): Promise<number>
  /** The request, without the trigger word. */
  readonly asks: string
  /** What the model's edit leaves in a file. */
  readonly edit?: Edit
  /** What the model remarks on the pull request. */
  readonly finding?: { readonly title: string; readonly call: string }
  /** Somebody says `cancel` while the model works. */
  readonly cancelled?: true
  /** Nothing may be written to GitHub at all. */
  readonly staged?: true
}

interface Turn {
  readonly words: string
  readonly calls: readonly Call[]
}

export interface Edit {
  readonly path: string
  readonly text: string
  /** The call that makes it. */
  readonly call: string
}

const files = {
  'README.md': '# Demo\n',
  'src/date.js': 'export const parse = (text) => new Date(text)\n',
}
export const seed = { files }
export const users = { alice: 'write', rita: 'read' } as const

const read: Call = { id: 'read_1', name: 'read', arguments: { filePath: 'src/date.js' } }
const edit: Call = {
  id: 'edit_1',
  name: 'edit',
  arguments: { filePath: 'src/date.js', oldString: 'new Date(text)', newString: 'new Date(Date.parse(text))' },
}
const write: Call = { id: 'write_2', name: 'write', arguments: { filePath: 'CHANGELOG.md', content: '# Changes of dates\n' } }
const finding = { title: 'An empty text gives an invalid date', call: 'review_1' }
const review: Call = {
  id: finding.call,
  name: 'review',
  arguments: { findings: [{ path: 'src/date.js', line: 2, severity: 'high', title: finding.title, body: 'Say no to it.' }] },
}
const label: Call = { id: 'label_1', name: 'label', arguments: { add: ['bug'] } }

const fix: Turn = { words: 'fix the date parsing', calls: [read, edit] }
const fixed: Edit = { path: 'src/date.js', text: 'Date.parse(text)', call: 'edit_1' }

const issue = async (world: World) => world.github.openIssue({ title: 'The date parsing is off', author: 'rita' }).number
const pull = async (world: World) => {
  await world.push('topic', { 'src/date.js': '// Dates\nexport const parse = (text) => new Date(text)\n' }, 'main', { actor: 'alice' })
  return (await world.github.openPull({ title: 'A comment', author: 'alice', head: 'topic' })).number
}

export const scenarios: readonly Scenario[] = [
  { name: 'issue', turns: [fix], open: issue, asks: fix.words, edit: fixed },
  {
    name: 'second comment',
    turns: [fix, { words: 'write a changelog', calls: [write] }],
    async open(world) {
      const number = await issue(world)
      const { result } = await ask(world, number, fix.words, {})
      if (result.code !== 0) throw new Error(`The first comment was not answered:\n${result.stdout}`)
      return number
    },
    asks: 'write a changelog',
    edit: { path: 'CHANGELOG.md', text: '# Changes of dates', call: 'write_2' },
  },
  { name: 'pull request', turns: [fix], open: pull, asks: fix.words, edit: fixed },
  { name: 'review', turns: [{ words: 'look for faults', calls: [review] }], open: pull, asks: 'look for faults', finding },
  { name: 'commit by API', inputs: { 'commit-method': 'api' }, turns: [fix], open: issue, asks: fix.words, edit: fixed },
  { name: 'cancel', turns: [fix], open: issue, asks: fix.words, edit: fixed, cancelled: true },
  { name: 'staged triage', inputs: { mode: 'staged' }, turns: [{ words: 'sort this', calls: [label] }], open: issue, asks: 'sort this', staged: true },
]

/** The model of a scenario: makes the calls that the conversation asks for and does not hold yet, then answers, once `ready` has come. */
export function scriptOf({ turns }: Scenario, ready: () => Promise<void>): Script {
  return async ({ messages, mayCall, result }) => {
    const asked = messages.filter(({ role }) => role === 'user').map(({ text }) => text)
    const calls = turns.filter(({ words }) => asked.some((text) => text.includes(words))).flatMap((turn) => turn.calls)
    const next = calls.find(({ id }) => result(id) === undefined)
    if (mayCall && next) return { calls: [next] }
    await ready()
    return { text: `Done as asked, with ${calls.length} calls.` }
  }
}

/** Comments as Alice, and runs the action on it on a fresh machine. */
export async function ask(world: World, number: number, words: string, inputs: Scenario['inputs'], more: Partial<RunInput> = {}): Promise<Asked> {
  const { id } = world.github.comment(number, 'alice', `/opencode ${words}`)
  const input: RunInput = {
    event: 'issue_comment',
    payload: issueCommentPayload(world.github, id),
    ...more,
    inputs: { model: 'scripted/model', 'base-url': world.model?.baseUrl ?? '', ...inputs },
    env: { ...hurried(), ...more.env },
  }
  return { input, result: await runAction(world, input) }
}

export interface Asked {
  readonly input: RunInput
  readonly result: RunResult
}

/** Lets the action's process live faster than the clock (see hurry.ts). */
function hurried(): Record<string, string> {
  const { NODE_COMPILE_CACHE: cache } = process.env
  return { NODE_OPTIONS: `--import=${new URL('hurry.ts', import.meta.url).href}`, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) }
}
