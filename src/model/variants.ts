import { ModelError } from './errors.ts'
import type { Model, ModelInfo, Options } from './model.ts'
import type { Dialect } from './packages.ts'

/**
 * Variants: how hard a model thinks, by the words people use, as options of its provider. The least comes first. The tables hold what
 * the makers document; a model that nobody has described gets what its protocol commonly takes.
 */

type Target = Pick<Model, 'info' | 'protocol' | 'dialect' | 'settings'>
type Variants = Readonly<Record<string, Options>>
type Table = readonly (readonly [RegExp, (info: ModelInfo) => Variants])[]

const named = (option: (name: string) => Options, ...names: readonly string[]): Variants => Object.fromEntries(names.map((name) => [name, option(name)]))

const efforts =
  (...names: readonly string[]) =>
  () =>
    named((reasoningEffort) => ({ reasoningEffort }), ...names)

const nothing = () => ({})

const openai: Table = [
  [/^gpt-5(\.\d+)?-chat|chat-latest/, nothing],
  [/^gpt-5-pro/, efforts('high')],
  [/^gpt-5\.\d+-pro/, efforts('medium', 'high', 'xhigh')],
  [/^gpt-5(\.1)?-codex(-mini)?$/, efforts('low', 'medium', 'high')],
  [/codex/, efforts('low', 'medium', 'high', 'xhigh')],
  [/^gpt-5(-|$)/, efforts('minimal', 'low', 'medium', 'high')],
  [/^gpt-5\.1(-|$)/, efforts('none', 'low', 'medium', 'high')],
  [/^gpt-5\.[2-5](-|$)/, efforts('none', 'low', 'medium', 'high', 'xhigh')],
  [/^gpt-5\.\d/, efforts('none', 'low', 'medium', 'high', 'xhigh', 'max')],
  [/^gpt-[6-9]/, efforts('low', 'medium', 'high', 'xhigh', 'max')],
  [/./, efforts('low', 'medium', 'high')],
]

/** How a protocol writes Claude's thinking: left to the model with an effort, bounded by tokens, or off. */
interface Thinking {
  readonly adaptive: (effort: string) => Options
  readonly budget: (tokens: number) => Options
  readonly off: Options
}

const budgets: readonly (readonly [string, number])[] = [
  ['low', 4_000],
  ['medium', 8_000],
  ['high', 16_000],
  ['max', 31_999],
]

/** From 4.6 on Claude decides by itself how long it thinks; from 5.5, and in Fable, it can't be told not to. */
const claude =
  ({ adaptive, budget, off }: Thinking) =>
  (info: ModelInfo): Variants => {
    const [, family = '', major = '', minor = '0'] = /claude-([a-z]+)-(\d+)(?:[-.](\d{1,2}))?(?!\d)/.exec(info.modelID) ?? []
    const version = Number(major) + Number(minor) / 10
    if (version < 4.6) {
      // Half of what it may write is left for the answer.
      const most = Math.floor(info.limit.output / 2)
      return { none: off, ...Object.fromEntries(budgets.map(([name, tokens]) => [name, budget(Math.min(tokens, most))])) }
    }
    const silent = version < 5.5 && family !== 'fable' ? { none: off } : {}
    return { ...silent, ...named(adaptive, 'low', 'medium', 'high', ...(version >= 4.7 ? ['xhigh'] : []), 'max') }
  }

const anthropic: Table = [
  [
    /claude/,
    claude({
      adaptive: (effort) => ({ thinking: { type: 'adaptive' }, effort }),
      budget: (budgetTokens) => ({ thinking: { type: 'enabled', budgetTokens } }),
      off: { thinking: { type: 'disabled' } },
    }),
  ],
]

const bedrockEffort = (maxReasoningEffort: string) => ({ reasoningConfig: { maxReasoningEffort } })

const bedrock: Table = [
  [
    /claude/,
    claude({
      adaptive: (maxReasoningEffort) => ({ reasoningConfig: { type: 'adaptive', maxReasoningEffort } }),
      budget: (budgetTokens) => ({ reasoningConfig: { type: 'enabled', budgetTokens } }),
      off: { reasoningConfig: { type: 'disabled' } },
    }),
  ],
  [/nova-2/, () => named((maxReasoningEffort) => ({ reasoningConfig: { type: 'enabled', maxReasoningEffort } }), 'low', 'medium', 'high')],
  [/openai\.gpt-oss/, () => named(bedrockEffort, 'low', 'medium', 'high')],
  [/openai\./, () => named(bedrockEffort, 'low', 'medium', 'high', 'xhigh', 'max')],
]

const level = (thinkingLevel: string) => ({ thinkingConfig: { thinkingLevel } })
const budget = (thinkingBudget: number) => ({ thinkingConfig: { thinkingBudget } })

const google: Table = [
  [/gemini-2\.5-pro/, () => ({ low: budget(2_048), medium: budget(8_192), high: budget(16_384), max: budget(32_768) })],
  [/gemini-2\.5/, () => ({ none: budget(0), low: budget(2_048), medium: budget(8_192), high: budget(16_384), max: budget(24_576) })],
  [/gemini-[\d.]+-pro|gemini-flash-latest|gemini-pro-latest/, () => named(level, 'low', 'medium', 'high')],
  [/gemini-/, () => named(level, 'minimal', 'low', 'medium', 'high')],
]

const toggled = (on: Options, off: Options) => () => ({ none: off, high: on })
const thinkingType = (type: string) => ({ thinking: { type } })

/** Services that speak chat completions in words of their own. */
const dialects: Readonly<Partial<Record<Dialect, Table>>> = {
  openrouter: [[/./, () => named((effort) => ({ reasoning: { effort } }), 'none', 'minimal', 'low', 'medium', 'high', 'xhigh')]],
  mistral: [
    [/glm-5-?(3|latest)|glm-latest|glm-5$/, efforts('low', 'high', 'max')],
    [/mistral-large-4/, efforts('low', 'medium', 'high')],
    [/./, efforts('none', 'high')],
  ],
  deepseek: [
    [/./, () => ({ none: thinkingType('disabled'), ...named((reasoningEffort) => ({ ...thinkingType('enabled'), reasoningEffort }), 'low', 'high', 'max') })],
  ],
  xai: [
    [/grok-4\.20/, nothing],
    [/./, efforts('low', 'medium', 'high')],
  ],
  groq: [
    [/qwen/, () => ({ none: { reasoningEffort: 'none' }, high: { reasoningEffort: 'default' } })],
    [/./, efforts('low', 'medium', 'high')],
  ],
  moonshot: [
    [/kimi-k2\.[56]/, toggled(thinkingType('enabled'), thinkingType('disabled'))],
    [/./, nothing],
  ],
  zai: [[/./, toggled(thinkingType('enabled'), thinkingType('disabled'))]],
  alibaba: [
    [/qwen/, () => ({ none: { enable_thinking: false }, high: { enable_thinking: true, thinking_budget: 16_000 }, max: { enable_thinking: true } })],
    [/./, nothing],
  ],
}

const compatible: Table = [
  [/minimax|kimi|claude|gemini|mistral|grok-4\.20/i, nothing],
  [/./, efforts('low', 'medium', 'high')],
]

function tableFor({ protocol, dialect }: Target): Table {
  switch (protocol) {
    case 'openai-responses':
    case 'openai-chat':
      return openai
    case 'anthropic':
      return anthropic
    case 'google':
      return google
    case 'bedrock':
      return bedrock
    case 'openai-compatible':
      return (dialect && dialects[dialect]) ?? compatible
  }
}

/** The variants of a model by name, the least first: its own, with those of the configuration laid over. */
export function variantsOf(target: Target): Variants {
  const { info, settings } = target
  // A configuration may list a known model under another name.
  const id = settings?.id ?? info.modelID
  const reasons = info.reasoning || info.assumed === true
  const give = reasons ? tableFor(target).find(([pattern]) => pattern.test(id))?.[1] : undefined
  const given = give?.({ ...info, modelID: id }) ?? {}
  const configured = Object.entries(settings?.variants ?? {})
  const merged = configured.map(([name, { disabled: _, ...options }]): [string, Options] => [name, { ...given[name], ...options }])
  const off = new Set(configured.flatMap(([name, { disabled }]) => (disabled === true ? [name] : [])))
  return Object.fromEntries(Object.entries({ ...given, ...Object.fromEntries(merged) }).filter(([name]) => !off.has(name)))
}

/** Throws `ModelError` with the names there are, if the model has no variant of that name. */
export function checkVariant(target: Target, variant: string): void {
  const names = Object.keys(variantsOf(target))
  if (names.includes(variant)) return
  const model = `${target.info.providerID}/${target.info.modelID}`
  throw new ModelError(
    names.length === 0 ? `${model} has no variants, so it has no "${variant}".` : `${model} has no variant "${variant}". It has ${names.join(', ')}.`,
    names.length === 0 ? 'Leave the input variant empty.' : 'Set the input variant to one of them, or leave it empty.',
  )
}
