import type { Model } from './model.ts'

/** A request as it leaves for the provider's package: the system texts, the messages behind them, and the tools. */
export interface Inspected {
  readonly system: readonly string[]
  readonly messages: readonly unknown[]
  readonly tools: readonly unknown[]
}

/** A model that shows every request before it is sent. What `see` throws fails the request, so it must not throw. */
export async function inspected(model: Model, see: (request: Inspected) => void): Promise<Model> {
  const { wrapLanguageModel } = await import('./sdk.ts')
  return {
    ...model,
    language: wrapLanguageModel({
      model: model.language,
      middleware: {
        specificationVersion: 'v4',
        wrapStream({ doStream, params }) {
          see({
            system: params.prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])),
            messages: params.prompt.filter(({ role }) => role !== 'system'),
            tools: params.tools ?? [],
          })
          return doStream()
        },
      },
    }),
  }
}
