import type { ModelChoice } from './choose.ts'
import type { Timeouts } from './fetch.ts'
import type { Model } from './model.ts'

/**
 * Makes a chosen model callable. Loads the one provider package it needs, and nothing before. `timeouts` in ms; the defaults
 * are those of `limits.ts`.
 */
export async function openModel(choice: ModelChoice, timeouts?: Partial<Timeouts>): Promise<Model> {
  const { info, protocol, baseUrl } = choice
  const [{ wrapLanguageModel }, { modelFetch }, { steady }] = await Promise.all([import('./sdk.ts'), import('./fetch.ts'), import('./steady.ts')])
  const model = await providerModel(choice, modelFetch(protocol, info.providerID, timeouts))
  return { info, protocol, language: wrapLanguageModel({ model, middleware: steady(protocol, { url: baseUrl, provider: info.providerID }) }) }
}

type ProviderModel = Exclude<Model['language'], string>

async function providerModel({ info, protocol, apiKey, baseUrl }: ModelChoice, fetch: typeof globalThis.fetch): Promise<ProviderModel> {
  // The first three insist on a key and would look into the environment for one; a server that needs none ignores this.
  const settings = { apiKey: apiKey ?? 'none', baseURL: baseUrl, fetch }
  switch (protocol) {
    case 'openai-responses': {
      const { createOpenAI } = await import('./provider/openai.ts')
      return createOpenAI(settings).responses(info.modelID)
    }
    case 'openai-chat': {
      const { createOpenAI } = await import('./provider/openai.ts')
      return createOpenAI(settings).chat(info.modelID)
    }
    case 'anthropic': {
      const { createAnthropic } = await import('./provider/anthropic.ts')
      return createAnthropic(settings).messages(info.modelID)
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('./provider/google.ts')
      return createGoogleGenerativeAI(settings).languageModel(info.modelID)
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('./provider/openai-compatible.ts')
      // Usage is sent only when asked for, and without it the history is never compacted in time (C83).
      const provider = createOpenAICompatible({
        name: info.providerID,
        baseURL: baseUrl,
        fetch,
        includeUsage: true,
        ...(apiKey === undefined ? {} : { apiKey }),
      })
      return provider.chatModel(info.modelID)
    }
  }
}
