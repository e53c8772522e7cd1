import { z } from 'zod'

/**
 * The form of `catalogue.json`, which `scripts/models.ts` writes and `catalogue.ts` reads. Keys are short because the file
 * is bundled; this file is where they are explained.
 */

const tokens = z.number().int().min(0)
/** USD per million tokens. */
const usd = z.number().min(0)

/** Input, output, read from a cache, written to a cache. What has no price of its own is null or left out at the end. */
const CompactPrice = z.tuple([usd, usd]).rest(usd.nullable())

export const CompactModel = z.object({
  /** Name for people. */
  n: z.string(),
  /** Family. */
  f: z.string().optional(),
  /** Abilities: `r` it reasons, `t` it accepts a temperature, `h` it wants its reasoning back with the history. */
  k: z.string().regex(/^r?t?h?$/),
  /** Kinds of input: `t` text, `i` image, `p` PDF, `a` audio, `v` video. */
  i: z.string().regex(/^t?i?p?a?v?$/),
  /** Limits in tokens: context, output and, where it has one of its own, input. */
  l: z.tuple([tokens, tokens]).rest(tokens),
  /** Price. */
  p: CompactPrice.optional(),
  /** Prices of long requests: the tokens of input above which they apply, then a price. */
  t: z.array(z.tuple([tokens, usd, usd]).rest(usd.nullable())).optional(),
})
export type CompactModel = z.infer<typeof CompactModel>

/** A provider without its models. */
export const ProviderFacts = z.object({
  name: z.string(),
  /** The AI SDK package that speaks its protocol. */
  npm: z.string(),
  /** Environment variables that may hold the key, the first that is set wins. */
  env: z.array(z.string()).min(1),
  /** Where it answers; absent where only the user can say. */
  url: z.url({ protocol: /^https?$/ }).optional(),
  /** The model used when none is named; `scripts/models.ts` says how it is picked. */
  best: z.string().optional(),
})

const CompactProvider = ProviderFacts.extend({ models: z.record(z.string(), CompactModel) })
export type CompactProvider = z.infer<typeof CompactProvider>

export const Catalogue = z.record(z.string(), CompactProvider)
export type Catalogue = z.infer<typeof Catalogue>
