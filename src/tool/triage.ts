import { distance } from 'fastest-levenshtein'
import { z } from 'zod'
import { type Draft, draft } from './draft.ts'
import { ToolError } from './errors.ts'
import { need } from './needs.ts'
import { optional } from './parameters.ts'
import { matchesWildcard } from './wildcard.ts'

/** Labels set and taken away by one run, and people it assigns: the most GitHub lets be responsible. */
const most = 10
/** Labels told to the model in one answer. */
const shownLabels = 100

/** What the configuration lets the model do: everything, nothing, or what fits one of the patterns. */
export interface TriageRules {
  readonly labels?: boolean | readonly string[] | undefined
  readonly assign?: boolean | readonly string[] | undefined
  readonly close?: boolean | undefined
}

/** The issue or pull request a run is about; nothing else can be touched. */
export interface TriageSetting {
  readonly number: number
  readonly isOpen: boolean
  /** Those it has. */
  readonly labels: readonly string[]
  readonly rules: TriageRules
  /** Names of all labels of the repository. What it throws ends the call. */
  allLabels(): Promise<readonly string[]>
}

/** What the model wants done to the issue or pull request. */
export interface TriageIntent {
  readonly add: readonly string[]
  readonly remove: readonly string[]
  readonly assign: readonly string[]
  readonly close: 'completed' | 'not_planned' | undefined
}

const names = (what: string) => optional(z.array(z.string().trim().min(1)).max(most).describe(what))
const labelling = z.object({ add: names('Labels to set'), remove: names('Labels to take away') })
const assigning = z.object({ logins: z.array(z.string().trim().min(1)).min(1).max(most).describe('Accounts') })
const closing = z.object({ reason: z.enum(['completed', 'not_planned']).describe('not_planned: also for duplicates and invalid ones') })

/**
 * The tools that sort issues. They only note what is wanted: it is done when the run has ended well, so a run that is stopped has done nothing.
 * Without a word of the configuration, labels that the repository has may be set, and nobody is assigned and nothing closed.
 */
export function triageTools(setting: TriageSetting): { readonly tools: readonly Draft[]; intent(): TriageIntent } {
  const { labels = true, assign = false, close = false } = setting.rules
  const wanted: Wanted = { add: new Set(), remove: new Set(), assign: new Set(), close: undefined }
  const tools = [
    ...(isOn(labels) ? [labelTool(setting, labels, wanted)] : []),
    ...(isOn(assign) ? [assignTool(assign, wanted)] : []),
    ...(close ? [closeTool(setting, wanted)] : []),
  ]
  return { tools, intent: () => ({ add: [...wanted.add], remove: [...wanted.remove], assign: [...wanted.assign], close: wanted.close }) }
}

interface Wanted {
  readonly add: Set<string>
  readonly remove: Set<string>
  readonly assign: Set<string>
  close: TriageIntent['close']
}

const isOn = (rule: boolean | readonly string[]): boolean => (typeof rule === 'boolean' ? rule : rule.length > 0)

const lower = (text: string): string => text.toLowerCase()

/** GitHub tells neither labels nor accounts apart by letter case. */
function fits(name: string, rule: boolean | readonly string[]): boolean {
  return typeof rule === 'boolean' ? rule : rule.some((pattern) => matchesWildcard(lower(name), lower(pattern)))
}

function labelTool(setting: TriageSetting, rule: boolean | readonly string[], { add, remove }: Wanted): Draft {
  const current = new Set(setting.labels.map(lower))
  let known: readonly string[] | undefined
  return draft(
    'label',
    labelling,
    (input) => [{ permission: 'label', patterns: [...(input.add ?? []), ...(input.remove ?? [])] }],
    async (input) => {
      known ??= await setting.allLabels()
      const usable = known.filter((label) => fits(label, rule))
      const faults: string[] = []
      const settle = (name: string, into: Set<string>, other: Set<string>, isThere: boolean): void => {
        const label = usable.find((each) => lower(each) === lower(name))
        if (label === undefined) faults.push(unknownLabel(name, usable))
        else if (other.delete(label)) return
        else if (isThere === (into === add)) faults.push(`\`${label}\` is ${isThere ? 'set already' : 'not set'}.`)
        else if (!into.has(label) && add.size + remove.size >= most) faults.push(`\`${label}\` is one too many: a run may change ${most} labels.`)
        else into.add(label)
      }
      for (const name of input.add ?? []) settle(name, add, remove, current.has(lower(name)))
      for (const name of input.remove ?? []) settle(name, remove, add, current.has(lower(name)))
      const asked = (input.add?.length ?? 0) + (input.remove?.length ?? 0)
      if (asked === 0) return { title: 'labels', output: listOf(usable), metadata: {} }
      if (faults.length === asked) throw new ToolError(`No label is changed. ${faults.join(' ')}`, 'Leave it at that, or name others.')
      const plan = [...sayOf('set', add), ...sayOf('taken away', remove)]
      const output = [...faults, `Once you are done: ${plan.length > 0 ? plan.join('; ') : 'no label changed'}.`].join('\n')
      return { title: [...[...add].map((each) => `+${each}`), ...[...remove].map((each) => `-${each}`)].join(' '), output, metadata: {} }
    },
  )
}

const sayOf = (what: string, labels: ReadonlySet<string>): string[] => (labels.size === 0 ? [] : [`${what}: ${[...labels].join(', ')}`])

function listOf(labels: readonly string[]): string {
  if (labels.length === 0) return 'The repository has no label that this run may use.'
  const more = labels.length - shownLabels
  return `The labels: ${labels.slice(0, shownLabels).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}

function unknownLabel(name: string, usable: readonly string[]): string {
  const far = (label: string): number => (lower(label).includes(lower(name)) ? 0 : distance(lower(label), lower(name)))
  const nearest = usable.toSorted((a, b) => far(a) - far(b)).slice(0, 5)
  return `\`${name}\` is no label this run may use; ${nearest.length === 0 ? 'there is none' : `the nearest are ${nearest.join(', ')}`}.`
}

function assignTool(rule: boolean | readonly string[], { assign }: Wanted): Draft {
  const bare = (login: string): string => login.replace(/^@/, '')
  return draft(
    'assign',
    assigning,
    ({ logins }) => [{ permission: 'assign', patterns: logins.map(bare) }],
    async ({ logins }) => {
      const people = logins.map(bare)
      const strangers = people.filter((login) => !fits(login, rule))
      if (strangers.length > 0) {
        const allowed = typeof rule === 'boolean' ? [] : rule
        throw new ToolError(`This run may not assign ${strangers.join(', ')}.`, `It may assign: ${allowed.join(', ')}.`)
      }
      const all = new Map([...assign, ...people].map((login) => [lower(login), login]))
      if (all.size > most) throw new ToolError(`At most ${most} people can be assigned.`, `Noted so far: ${[...assign].join(', ') || 'nobody'}.`)
      for (const login of all.values()) assign.add(login)
      return { title: [...assign].join(' '), output: `Assigned once you are done: ${[...assign].join(', ')}.`, metadata: {} }
    },
  )
}

function closeTool({ number, isOpen }: TriageSetting, wanted: Wanted): Draft {
  return draft(
    'close_issue',
    closing,
    () => need('close_issue'),
    async ({ reason }) => {
      if (!isOpen) throw new ToolError(`#${number} is closed already.`, 'There is nothing to do.')
      wanted.close = reason
      return { title: reason, output: `#${number} is closed once you are done. Say why in your last message.`, metadata: {} }
    },
  )
}
