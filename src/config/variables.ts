import { shellEnvironment } from '../workspace/shell-env.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where in a configuration a value stands: `['mcp', 'search', 'headers', 'Authorization']`. */
export type Place = readonly (string | number)[]

/** What `{env:NAME}` stands for, and whether it has to be kept secret; or why it stands for nothing. */
export type Variable = { readonly value: string; readonly secret: boolean } | { readonly refused: string }

/** What belongs to the job itself and is nobody's configuration: its tokens and inputs, and what the runner talks to its services with. */
const own = /^(GITHUB_TOKEN|GH_TOKEN|GH_ENTERPRISE_TOKEN|GITHUB_ENTERPRISE_TOKEN|ACTIONS_.+|INPUT_.+|STATE_.+)$/i
const ownSecrets = /^(GITHUB_TOKEN|GH_TOKEN|ACTIONS_.*TOKEN|INPUT_(GITHUB-TOKEN|SESSION-KEY))$/i

/**
 * The value of a variable for a place of the configuration. Most places end up before the model, so they get what the shell tool's commands may
 * see and nothing else. The settings of a provider or an MCP server go to that server alone: there every variable may stand but the job's
 * own. A variable that is not set is empty, as in OpenCode.
 */
export function variableFor(name: string, place: Place, env: Environment): Variable {
  const value = env[name] ?? ''
  if (value !== '' && Object.hasOwn(shellEnvironment({ [name]: value }), name)) return { value, secret: false }
  if (own.test(name) || isOwnSecret(value, env)) return { refused: 'it belongs to the job itself' }
  if (isForServer(place)) return { value, secret: true }
  if (value === '') return { value, secret: false }
  return { refused: 'only the settings of providers and MCP servers may hold it: other places are shown to the model' }
}

/** A secret of the job stays one under another name. */
function isOwnSecret(value: string, env: Environment): boolean {
  return value !== '' && Object.entries(env).some(([name, other]) => other === value && ownSecrets.test(name))
}

function isForServer(place: Place): boolean {
  const [section, , part] = place
  return section === 'mcp' || (section === 'provider' && (part === 'options' || part === 'api' || place.includes('headers')))
}

/** Whether a switch of the environment is on: `1` or `true`, in any case (C170). */
export function isOn(env: Environment, name: string): boolean {
  return ['1', 'true'].includes(env[name]?.trim().toLowerCase() ?? '')
}
