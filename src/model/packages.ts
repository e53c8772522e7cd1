import type { Protocol } from './model.ts'

/** Services that speak a known protocol with words of their own: options, fields of messages, ids. */
export type Dialect = 'azure' | 'openrouter' | 'mistral' | 'deepseek' | 'xai' | 'groq' | 'moonshot' | 'zai' | 'alibaba'

/** Clouds: the address is made from account names, and credentials may come from the job's identity instead of a key. */
export type CloudName = 'azure' | 'bedrock' | 'vertex'

interface Package {
  readonly protocol: Protocol
  /** Where it answers, if it has one address for everybody. */
  readonly home?: string
  readonly dialect?: Dialect
  readonly cloud?: CloudName
}

/**
 * AI SDK packages by the names that models.dev and `opencode.json` use, and how what they do is done here. Few of them are bundled:
 * most services answer to chat completions, and a cloud speaks the protocols of the makers of its models.
 */
const packages: Readonly<Record<string, Package>> = {
  '@ai-sdk/openai': { protocol: 'openai-responses', home: 'https://api.openai.com/v1' },
  '@ai-sdk/anthropic': { protocol: 'anthropic', home: 'https://api.anthropic.com/v1' },
  '@ai-sdk/google': { protocol: 'google', home: 'https://generativelanguage.googleapis.com/v1beta' },
  '@ai-sdk/openai-compatible': { protocol: 'openai-compatible' },
  '@ai-sdk/azure': { protocol: 'openai-responses', dialect: 'azure', cloud: 'azure' },
  '@ai-sdk/amazon-bedrock': { protocol: 'bedrock', cloud: 'bedrock' },
  '@ai-sdk/google-vertex': { protocol: 'google', cloud: 'vertex' },
  '@ai-sdk/google-vertex/anthropic': { protocol: 'anthropic', cloud: 'vertex' },
  '@openrouter/ai-sdk-provider': { protocol: 'openai-compatible', dialect: 'openrouter', home: 'https://openrouter.ai/api/v1' },
  '@ai-sdk/alibaba': { protocol: 'openai-compatible', dialect: 'alibaba', home: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1' },
  '@ai-sdk/cerebras': { protocol: 'openai-compatible', home: 'https://api.cerebras.ai/v1' },
  '@ai-sdk/deepinfra': { protocol: 'openai-compatible', home: 'https://api.deepinfra.com/v1/openai' },
  '@ai-sdk/deepseek': { protocol: 'openai-compatible', dialect: 'deepseek', home: 'https://api.deepseek.com' },
  '@ai-sdk/fireworks': { protocol: 'openai-compatible', home: 'https://api.fireworks.ai/inference/v1' },
  '@ai-sdk/groq': { protocol: 'openai-compatible', dialect: 'groq', home: 'https://api.groq.com/openai/v1' },
  '@ai-sdk/mistral': { protocol: 'openai-compatible', dialect: 'mistral', home: 'https://api.mistral.ai/v1' },
  '@ai-sdk/moonshotai': { protocol: 'openai-compatible', dialect: 'moonshot', home: 'https://api.moonshot.ai/v1' },
  '@ai-sdk/togetherai': { protocol: 'openai-compatible', home: 'https://api.together.xyz/v1' },
  '@ai-sdk/xai': { protocol: 'openai-compatible', dialect: 'xai', home: 'https://api.x.ai/v1' },
}

/** Providers whose package does not tell their dialect. */
const dialects: Readonly<Record<string, Dialect>> = {
  alibaba: 'alibaba',
  'alibaba-cn': 'alibaba',
  deepseek: 'deepseek',
  moonshotai: 'moonshot',
  'moonshotai-cn': 'moonshot',
  zai: 'zai',
  'zai-coding-plan': 'zai',
  zhipuai: 'zai',
}

/** How the work of a package is done here; undefined for one that is not built in. */
export function packageOf(npm: string): Package | undefined {
  return Object.hasOwn(packages, npm) ? packages[npm] : undefined
}

/** The names of all packages that are built in. */
export function packageNames(): readonly string[] {
  return Object.keys(packages)
}

/** In which dialect a provider is spoken to, by its package or else by its name. */
export function dialectOf({ id, npm }: { readonly id: string; readonly npm: string }): Dialect | undefined {
  const { dialect, protocol } = packageOf(npm) ?? {}
  if (dialect !== undefined || protocol !== 'openai-compatible') return dialect
  return Object.hasOwn(dialects, id) ? dialects[id] : undefined
}
