import { familyOf } from './family.ts'
import type { Texts } from './texts.ts'

/** Names of recently changed files that go into the environment block, at the most (DECISIONS 10). */
const MAX_FILES = 20

/** What the model is told about where it runs. */
export interface Environment {
  readonly directory: string
  readonly isGit: boolean
  readonly platform: string
}

export interface SystemInput {
  readonly texts: Texts
  /** Replaces the base prompt, as an agent's own prompt does. */
  readonly agentPrompt?: string | undefined
  readonly model: { readonly name: string; readonly providerID: string; readonly modelID: string }
  readonly environment: Environment
  /** The session's first moment, epoch ms: the date is taken from it so that no later run of the session changes the prefix. */
  readonly created: number
  readonly recentFiles: readonly string[]
  /** Further blocks, such as instructions and the GitHub block, in order. */
  readonly blocks: readonly string[]
  /** Extra text of the message that is answered. */
  readonly userSystem?: string | undefined
}

/**
 * The one system string of a request: agent or base prompt, environment, extra blocks, the user's own system text, joined by
 * newlines. Equal input gives equal bytes, on any machine and in any time zone, so that provider caches hold.
 */
export function systemText(input: SystemInput): string {
  const { blocks, userSystem } = input
  return [input.agentPrompt ?? basePrompt(input), environmentBlock(input), ...blocks, userSystem ?? ''].filter((block) => block !== '').join('\n')
}

/** What every model is told, then what its family needs to hear. */
function basePrompt({ texts, model }: SystemInput): string {
  return `${texts('base')}\n\n${texts(`family/${familyOf(model.modelID)}`)}`
}

function environmentBlock({ texts, model, environment, created, recentFiles }: SystemInput): string {
  const block = texts('environment', {
    modelName: model.name,
    modelID: `${model.providerID}/${model.modelID}`,
    directory: environment.directory,
    isGit: environment.isGit ? 'yes' : 'no',
    platform: environment.platform,
    date: new Date(created).toUTCString().slice(0, 'Thu, 01 Jan 1970'.length),
  })
  const files = recentFiles.slice(0, MAX_FILES)
  return files.length === 0 ? block : [block, '<files>', ...files.map((file) => `  ${file}`), '</files>'].join('\n')
}
