import type { Urls } from './links.ts'
import type { Repositories } from './repository.ts'
import type { Represent } from './represent.ts'
import type { State } from './state.ts'

/** What a route works with. */
export interface RestContext {
  readonly state: State
  readonly show: Represent
  readonly urls: Urls
  readonly repositories: Repositories
}
