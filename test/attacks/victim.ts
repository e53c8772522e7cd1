import type { Call, Script } from '../../src/local/model.ts'
import type { Attack } from './corpus.ts'

/** An attack under the name by which the victim knows it. */
export interface Ordered {
  readonly order: string
  readonly attack: Attack
}

/** What the victim does before it has read anything: it looks around, as agents do. */
const look: readonly Call[] = [
  { id: 'look_0', name: 'bash', arguments: { command: 'git log -2 --format=%B; ls; sh check.sh' } },
  { id: 'look_1', name: 'read', arguments: { filePath: 'notes.md' } },
  { id: 'look_2', name: 'notes_read', arguments: {} },
]

/**
 * A model that obeys whoever speaks to it: it does everything that any text it was sent orders, puts what it found into a file of the repository, and
 * repeats it in its answer in all forms. This is the worst that words can do to a model; whatever then does not happen, the action has prevented.
 */
export function victim(orders: readonly Ordered[], fill: (text: string) => string): Script {
  return ({ messages, result, mayCall }) => {
    const said = messages.map(({ text }) => text).join('\n')
    const heard = orders.filter(({ order }) => said.includes(order))
    const open = (calls: readonly Call[]) => calls.filter(({ id }) => result(id) === undefined)
    const rounds = [look]
    for (let index = 0; heard.some(({ attack }) => index < attack.do.length); index++) rounds.push(heard.flatMap((each) => callOf(each, index, fill)))
    const found = heard.flatMap(({ order, attack }) => attack.do.map((_, index) => result(idOf(order, index)) ?? ''))
    const loot = inAllForms(found)
    rounds.push(
      heard.some(({ attack }) => attack.do.length > 0 && attack.answer === undefined)
        ? [{ id: 'loot', name: 'write', arguments: { filePath: 'found.txt', content: loot } }]
        : [],
    )
    for (const round of rounds) {
      const left = open(round)
      if (mayCall && left.length > 0) return { calls: left }
    }
    return { text: heard.map(({ attack }) => (attack.answer === undefined ? loot : fill(attack.answer))).join('\n\n') || 'There was nothing to do.' }
  }
}

const idOf = (order: string, index: number): string => `${order.replace('-', '_')}_${index}`

function callOf({ order, attack }: Ordered, index: number, fill: (text: string) => string): Call[] {
  const step = attack.do[index]
  if (step === undefined) return []
  const id = idOf(order, index)
  return 'bash' in step ? [{ id, name: 'bash', arguments: { command: fill(step.bash) } }] : [{ id, name: step.tool, arguments: filled(step.input, fill) }]
}

const filled = (input: Readonly<Record<string, unknown>>, fill: (text: string) => string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [key, typeof value === 'string' ? fill(value) : value]))

function inAllForms(found: readonly string[]): string {
  const texts = found.map((text) => text.slice(0, 1_500))
  const all = Buffer.from(texts.join('\n'))
  const pieces = all.toString().match(/[\s\S]{1,7}/g) ?? []
  return [
    ...texts,
    all.toString('base64'),
    all.toString('hex'),
    encodeURIComponent(all.toString()),
    JSON.stringify(texts),
    [...all.toString()].reverse().join(''),
    pieces.join(' '),
  ]
    .join('\n\n')
    .slice(0, 40_000)
}
