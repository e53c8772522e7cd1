import type { Urls } from './links.ts'
import type { Repositories } from './repository.ts'
import type { Represent } from './represent.ts'
import type { PushRule } from './rules.ts'
import type { State } from './state.ts'

/** What a route works with. */
export interface RestContext {
  readonly state: State
  readonly show: Represent
  readonly urls: Urls
  readonly repositories: Repositories
  readonly rules: readonly PushRule[]
  /** Runs git in one of the bare repositories. */
  git(
    repository: string,
    args: readonly string[],
    input?: { readonly input?: Buffer | string; readonly extra?: Readonly<Record<string, string>> },
  ): Promise<string>
}
