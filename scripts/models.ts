import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { Catalogue, type CompactModel, type CompactProvider } from '../src/model/catalogue-schema.ts'
import { packageOf } from '../src/model/packages.ts'

/**
 * Makes `src/model/catalogue.json` from the facts of models.dev.
 *
 *     node scripts/models.ts                  fetches https://models.dev/api.json
 *     node scripts/models.ts FILE             reads a local copy, or the shorter form with `input` and `released`
 *     node scripts/models.ts FILE OUT         writes somewhere else than src/model/catalogue.json
 *
 * The same source gives the same bytes: everything is sorted, one model a line.
 */
const published = 'https://models.dev/api.json'

/** Variables that hold a key, where models.dev lists account names and credentials beside them. */
const keys: Readonly<Record<string, readonly string[]>> = {
  azure: ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY'],
  'amazon-bedrock': ['AWS_BEARER_TOKEN_BEDROCK'],
  'google-vertex': ['GOOGLE_VERTEX_API_KEY'],
  'google-vertex-anthropic': ['GOOGLE_VERTEX_API_KEY'],
}

const SourcePrice = z.object({
  input: z.number().optional(),
  output: z.number().optional(),
  cache_read: z.number().optional(),
  cache_write: z.number().optional(),
})
type SourcePrice = z.infer<typeof SourcePrice>

const SourceModel = z.object({
  name: z.string(),
  family: z.string().optional(),
  reasoning: z.boolean().optional(),
  temperature: z.boolean().optional(),
  tool_call: z.boolean().optional(),
  interleaved: z.union([z.boolean(), z.looseObject({ field: z.string() })]).optional(),
  status: z.string().optional(),
  input: z.array(z.string()).optional(),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }).optional(),
  limit: z.object({ context: z.number(), input: z.number().optional(), output: z.number() }),
  cost: SourcePrice.extend({
    tiers: z.array(SourcePrice.extend({ tier: z.object({ type: z.string(), size: z.number() }) })).optional(),
    context_over_200k: SourcePrice.optional(),
  }).optional(),
  released: z.string().optional(),
  release_date: z.string().optional(),
})
type SourceModel = z.infer<typeof SourceModel>

const SourceProvider = z.object({
  name: z.string(),
  env: z.array(z.string()),
  npm: z.string().optional(),
  api: z.string().optional(),
  models: z.record(z.string(), SourceModel),
})
type SourceProvider = z.infer<typeof SourceProvider>
const Source = z.record(z.string(), SourceProvider)

const kinds = [
  ['text', 't'],
  ['image', 'i'],
  ['pdf', 'p'],
  ['audio', 'a'],
  ['video', 'v'],
] as const

/** The catalogue's text for a source in either form. Throws zod's error if the source has another shape. */
export function catalogueText(source: unknown): string {
  const providers = Object.entries(Source.parse(source))
    .map(([id, provider]) => [id, compactProvider(id, provider)] as const)
    .filter((entry): entry is readonly [string, CompactProvider] => entry[1] !== undefined)
    .sort(byID)
  const lines = providers.map(([id, { models, ...rest }]) => {
    const rows = Object.entries(models).map(([modelID, model]) => `${JSON.stringify(modelID)}:${JSON.stringify(model)}`)
    return `${JSON.stringify(id)}:${JSON.stringify(rest).slice(0, -1)},"models":{\n${rows.join(',\n')}}}`
  })
  const text = `{${lines.join(',\n')}}\n`
  Catalogue.parse(JSON.parse(text))
  return text
}

/** A provider whose package is built in (`src/model/packages.ts`) and that has a key and a model to use. */
function compactProvider(id: string, source: SourceProvider): CompactProvider | undefined {
  const env = [...(keys[id] ?? source.env.filter((name) => /(KEY|TOKEN)$/.test(name)))]
  const usable = Object.entries(source.models)
    .filter(([, model]) => model.tool_call !== false && model.status !== 'deprecated' && (model.modalities?.output.includes('text') ?? true))
    .sort(byID)
  const service = source.npm === undefined ? undefined : packageOf(source.npm)
  if (source.npm === undefined || service === undefined || env.length === 0 || usable.length === 0) return undefined
  // Which models an account of a cloud has is its own affair.
  const best = service.cloud === undefined ? bestOf(usable) : undefined
  const url = fixedAddress(source.api) ?? service.home
  return {
    name: source.name,
    npm: source.npm,
    env,
    ...(url === undefined ? {} : { url }),
    ...(best === undefined ? {} : { best }),
    models: Object.fromEntries(usable.map(([id, model]) => [id, compactModel(model)])),
  }
}

/** An address with a placeholder in it is the user's to give. */
function fixedAddress(api: string | undefined): string | undefined {
  return api === undefined || api.includes('$') ? undefined : api.replace(/\/+$/, '')
}

function compactModel(source: SourceModel): CompactModel {
  const inputs = source.modalities?.input ?? source.input ?? ['text']
  const { context, output, input } = source.limit
  const price = compactPrice(source.cost)
  const tiers = tiersOf(source)
  return {
    n: source.name,
    ...(source.family === undefined ? {} : { f: source.family }),
    k: `${source.reasoning ? 'r' : ''}${source.temperature ? 't' : ''}${wantsEcho(source) ? 'h' : ''}`,
    i: kinds.map(([kind, letter]) => (inputs.includes(kind) ? letter : '')).join(''),
    l: input === undefined ? [context, output] : [context, output, input],
    ...(price === undefined ? {} : { p: price }),
    ...(tiers.length === 0 ? {} : { t: tiers }),
  }
}

function wantsEcho({ interleaved }: SourceModel): boolean {
  return typeof interleaved === 'object' && interleaved.field === 'reasoning_content'
}

function tiersOf({ cost }: SourceModel): NonNullable<CompactModel['t']> {
  const named = cost?.tiers?.filter((tier) => tier.tier.type === 'context').map((tier) => ({ above: tier.tier.size, price: compactPrice(tier) }))
  const older = cost?.context_over_200k === undefined ? [] : [{ above: 200_000, price: compactPrice(cost.context_over_200k) }]
  return (named ?? older)
    .sort((a, b) => a.above - b.above)
    .flatMap(({ above, price }): NonNullable<CompactModel['t']> => (price === undefined ? [] : [[above, ...price]]))
}

function compactPrice(source: SourcePrice | undefined): CompactModel['p'] {
  if (source?.input === undefined || source.output === undefined) return undefined
  const { input, output, cache_read: read, cache_write: write } = source
  if (write !== undefined) return [input, output, read ?? null, write]
  return read === undefined ? [input, output] : [input, output, read]
}

/**
 * The model used when a provider's key is all that is set: the newest of those that reason, hold at least 128k tokens and
 * answer with at least 16k, cost something but at most 5 USD a million tokens of input, and whose name doesn't mark a preview,
 * a moving alias or a special purpose. Of several from one day the dearest, which is the most able. Names with a slash are
 * other makers' models: a marketplace has no model of its own to prefer.
 */
function bestOf(models: readonly (readonly [string, SourceModel])[]): string | undefined {
  const special = /\/|preview|latest|image|live|realtime|audio|search|research|vision|exp$/
  const price = (model: SourceModel) => model.cost?.input ?? 0
  const day = (model: SourceModel) => model.release_date ?? model.released ?? ''
  const fit = models.filter(
    ([id, model]) =>
      model.reasoning === true && !special.test(id) && model.limit.context >= 128_000 && model.limit.output >= 16_000 && price(model) > 0 && price(model) <= 5,
  )
  const [best] = fit.toSorted(([, a], [, b]) => day(b).localeCompare(day(a)) || price(b) - price(a))
  return best?.[0]
}

function byID([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

async function main(file: string | undefined, out: string | undefined): Promise<void> {
  const source: unknown = file === undefined ? await download() : JSON.parse(await readFile(file, 'utf8'))
  const target = out ?? join(dirname(dirname(fileURLToPath(import.meta.url))), 'src', 'model', 'catalogue.json')
  const text = catalogueText(source)
  await writeFile(target, text)
  console.log(`${target}: ${Object.keys(JSON.parse(text)).length} providers, ${Buffer.byteLength(text)} bytes`)
}

async function download(): Promise<unknown> {
  const response = await fetch(published)
  if (!response.ok) throw new Error(`${published} answered ${response.status}`)
  return response.json()
}

if (import.meta.main) await main(process.argv[2], process.argv[3])
