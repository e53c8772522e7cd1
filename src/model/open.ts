import type { ModelChoice } from './choose.ts'
import type { Timeouts } from './fetch.ts'
import type { Model } from './model.ts'

/**
 * Makes a chosen model callable. Loads the one provider package it needs, and nothing before. `timeouts` in ms; the defaults
 * are the configuration's, then those of `limits.ts`.
 */
export async function openModel(choice: ModelChoice, timeouts?: Partial<Timeouts>): Promise<Model> {
  const { info, protocol, baseUrl, dialect, settings } = choice
  const [{ wrapLanguageModel }, { modelFetch }, { steady }] = await Promise.all([import('./sdk.ts'), import('./fetch.ts'), import('./steady.ts')])
  const plain = modelFetch(protocol, info.providerID, { ...settings?.timeouts, ...timeouts })
  const model = await providerModel(choice, choice.cloud ? (await import('./cloud-fetch.ts')).cloudFetch({ ...choice, cloud: choice.cloud }, plain) : plain)
  const steadied = steady(protocol, { url: baseUrl, provider: info.providerID })
  const middleware = dialect === 'openrouter' ? [(await import('./reasoning-details.ts')).keepDetails(), steadied] : steadied
  return {
    info,
    protocol,
    ...(dialect === undefined ? {} : { dialect }),
    ...(settings === undefined ? {} : { settings }),
    language: wrapLanguageModel({ model, middleware }),
  }
}

type ProviderModel = Exclude<Model['language'], string>

async function providerModel(choice: ModelChoice, fetch: typeof globalThis.fetch): Promise<ProviderModel> {
  const { info, protocol, apiKey, baseUrl, cloud, dialect } = choice
  const id = choice.settings?.id ?? info.modelID
  const headers = { ...choice.settings?.headers }
  // The first three insist on a key and would look into the environment for one; a server that needs none ignores this.
  const settings = { apiKey: apiKey ?? 'none', baseURL: baseUrl, fetch, headers }
  switch (protocol) {
    case 'openai-responses': {
      const { createOpenAI } = await import('./provider/openai.ts')
      return createOpenAI(settings).responses(id)
    }
    case 'openai-chat': {
      const { createOpenAI } = await import('./provider/openai.ts')
      return createOpenAI(settings).chat(id)
    }
    case 'anthropic': {
      const { createAnthropic } = await import('./provider/anthropic.ts')
      return createAnthropic(settings).messages(id)
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('./provider/google.ts')
      return createGoogleGenerativeAI({ ...settings, ...(cloud ? { name: 'google.vertex.chat' } : {}) }).languageModel(id)
    }
    case 'bedrock': {
      const { createAmazonBedrock } = await import('./provider/bedrock.ts')
      const aws = cloud?.kind === 'aws' ? cloud : undefined
      // An empty key keeps the package from looking for one in the environment.
      const access = aws?.credentials ? { apiKey: '', ...aws.credentials } : { apiKey: apiKey ?? 'none' }
      return createAmazonBedrock({ baseURL: baseUrl, fetch, headers, region: aws?.region ?? 'us-east-1', ...access }).languageModel(id)
    }
    case 'openai-compatible': {
      const [{ createOpenAICompatible }, { inDialect }, { chatUsage }] = await Promise.all([
        import('./provider/openai-compatible.ts'),
        import('./chat-dialect.ts'),
        import('./chat-usage.ts'),
      ])
      const provider = createOpenAICompatible({
        name: info.providerID,
        baseURL: baseUrl,
        fetch,
        headers,
        // Usage is sent only when asked for, and without it the history is never compacted in time (C83); Mistral always sends it, and refuses to be asked.
        includeUsage: dialect !== 'mistral',
        transformRequestBody: inDialect(dialect, info),
        convertUsage: chatUsage,
        ...(apiKey === undefined ? {} : { apiKey }),
      })
      return provider.chatModel(id)
    }
  }
}
