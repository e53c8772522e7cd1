import type { Source } from './parse.ts'
import type { Environment } from './variables.ts'

/** What the job itself says about the configuration, in the order it is laid over the repository's. Empty means not given (C165). */
export function jobSources(env: Environment, inline: string | undefined, folder: string): readonly Source[] {
  const source = (name: string, text: string | undefined): Source[] => (text?.trim() ? [{ name, text, folder }] : [])
  return [...source('OPENCODE_CONFIG_CONTENT', env.OPENCODE_CONFIG_CONTENT), ...source('the input config', inline), ...permissionSource(env, folder)]
}

/** `OPENCODE_PERMISSION` holds the value of the key `permission` alone. */
function permissionSource(env: Environment, folder: string): Source[] {
  const text = env.OPENCODE_PERMISSION?.trim()
  return text ? [{ name: 'OPENCODE_PERMISSION', text: `{"permission":${text}\n}`, folder }] : []
}
