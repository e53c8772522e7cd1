import type { Config } from '../config/types.ts'
import { builtin, type Providers } from '../model/catalogue.ts'
import { chooseModel, type ModelChoice, type ModelReference, parseModelRef, secretsOf } from '../model/choose.ts'
import { ModelError } from '../model/errors.ts'
import { checkVariant } from '../model/variants.ts'
import { withConfig } from '../model/with-config.ts'
import { nameOf } from '../session/fallback.ts'
import type { Settings } from '../settings/types.ts'

/** The models of a run, each with all that is needed to open it. */
export interface Models {
  readonly choice: ModelChoice
  /** Those that take over, in order. */
  readonly fallbacks: readonly ModelChoice[]
  /** For titles. */
  readonly small?: ModelChoice
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Decides about every model a run may use, before it begins: a wrong name, a missing key, an unknown variant and an unknown price under
 * `max-cost-usd` are found now, and the `ModelError` names the input. The inputs `api-key` and `base-url` belong to the provider of `model`.
 * `providers` are those that can be named: the catalogue's, or with the repository's configuration laid over them.
 */
export function chooseModels(settings: Settings, env: Environment, providers?: Providers): Models {
  const main = chooseModel({ ...settings, env, providers })
  if (settings.variant !== undefined) checkVariant(main, settings.variant)
  const choose = (input: string, model: ModelReference): ModelChoice => {
    const same = model.providerID === (settings.model?.providerID ?? main.info.providerID)
    try {
      return chooseModel({ model, env, providers, ...(same ? { apiKey: settings.apiKey, baseUrl: settings.baseUrl } : {}) })
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      throw new ModelError(`The input ${input} names ${nameOf(model)}, which can't be used. ${error.message}`, error.hint)
    }
  }
  const fallbacks = settings.fallbackModels.map((model) => choose('fallback-models', model))
  const small = settings.smallModel && choose('small-model', settings.smallModel)
  const models = { choice: main, fallbacks, ...(small ? { small } : {}) }
  if (settings.maxCostUsd !== undefined) checkPrices([main, ...fallbacks, ...(small ? [small] : [])])
  return models
}

/**
 * The models as far as the job itself says. What is wrong may still be put right by the repository's configuration, which can name a model and
 * describe providers: then the error is given back, to be thrown if it does not.
 */
export function chooseEarly(settings: Settings, env: Environment): Models | ModelError {
  try {
    return chooseModels(settings, env)
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  }
}

/**
 * The models once the repository's configuration is known: it names them where the job does not, and its providers are laid over the catalogue's.
 * Throws `ModelError`, which says what configuration was read (C169).
 */
export function chooseWith(config: Config, settings: Settings, env: Environment, early: Models | ModelError): { models: Models; providers: Providers } {
  const { model, small_model: small, disabled_providers: disabled, enabled_providers: enabled } = config.preferences
  const says = model !== undefined || small !== undefined || disabled !== undefined || enabled !== undefined || Object.keys(config.providers).length > 0
  if (!says && !(early instanceof ModelError)) return { models: early, providers: builtin }
  const providers = says ? withConfig(builtin, { provider: config.providers, ...config.preferences }) : builtin
  const smallModel = settings.smallModel ?? (small === undefined ? undefined : parseModelRef(small))
  const named = { ...settings, ...(smallModel ? { smallModel } : {}) }
  try {
    // A key or an address of the job is for the model of the job.
    const choice = settings.model ?? (model === undefined || settings.apiKey || settings.baseUrl ? undefined : parseModelRef(model))
    return { models: chooseModels({ ...named, ...(choice ? { model: choice } : {}) }, env, providers), providers }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const read = config.sources.length === 0 ? 'The repository has no configuration.' : `Configuration was read from ${config.sources.join(', ')}.`
    throw new ModelError(error.message, `${error.hint} ${read}`)
  }
}

/** The values of all models that must never be shown. */
export function secretsOfAll({ choice, fallbacks, small }: Models): readonly string[] {
  return [choice, ...fallbacks, ...(small ? [small] : [])].flatMap(secretsOf)
}

/** The model that an agent or a command of the configuration asks for; the run's own as the job has it set up. Throws `ModelError`. */
export function modelFor(model: ModelReference, settings: Settings, main: ModelChoice, env: Environment, providers?: Providers): ModelChoice {
  const same = model.providerID === main.info.providerID
  if (same && model.modelID === main.info.modelID) return main
  return chooseModel({ model, env, providers, ...(same ? { apiKey: settings.apiKey, baseUrl: settings.baseUrl } : {}) })
}

/** Money can't be counted without a price, and a limit that does not hold must not look as if it did. */
function checkPrices(choices: readonly ModelChoice[]): void {
  const names = choices.flatMap(({ info }) => (info.price ? [] : [nameOf(info)]))
  if (names.length === 0) return
  throw new ModelError(
    `The input max-cost-usd is set, but the price of ${names.join(' and ')} is not known.`,
    'Limit the run by max-tokens instead, or choose models whose prices the catalogue has.',
  )
}
