import { createHash, randomBytes } from 'node:crypto'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { World } from '../../src/local/world.ts'

/** A machine as earlier steps of a job leave it: keys in the environment, in files of the home, of the workspace and of the runner. */
export interface Machine {
  /** `env:` of the step and what the runner adds to it. */
  readonly env: Readonly<Record<string, string>>
  readonly inputs: Readonly<Record<string, string>>
  /** Every value that nobody may see, by what it is called. */
  readonly secrets: Readonly<Record<string, string>>
  /** Whether a file of the workspace that every command may read holds some of them. */
  readonly knows: boolean
  /** Files that hold such values because an earlier step wrote them. */
  readonly known: ReadonlySet<string>
  /** A copy of the action, which an attack may try to change, and what its files were. */
  readonly action: ReadonlyMap<string, string>
  readonly bundle: string
}

const word = (bytes = 24): string => randomBytes(bytes).toString('base64url').replaceAll(/[-_]/g, 'x')

/** The token of the emulated GitHub. */
export const newToken = (): string => `ghs_${word(30).slice(0, 36)}`

/** The files below a folder, each by a digest of its content. */
export async function digestsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  const digest = async (path: string) =>
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
  return new Map(await Promise.all(paths.map(async (path) => [path, await digest(path)] as const)))
}

/** Plants secrets in a world that has a checkout. */
export async function plantSecrets(world: World, knows: boolean): Promise<Machine> {
  const { token } = world.github.state
  const home = join(world.folder, 'home')
  const secrets: Record<string, string> = { 'the token': token, 'the login of the checkout': Buffer.from(`x-access-token:${token}`).toString('base64') }
  const secret = (name: string, value = word()) => {
    secrets[name] = value
    return value
  }
  const pem = ['-----BEGIN PRIVATE KEY-----', word(48), word(48), word(20), '-----END PRIVATE KEY-----'].join('\n')
  for (const [index, line] of pem.split('\n').slice(1, -1).entries()) secret(`line ${index + 1} of the signing key`, line)

  const credentials = join(world.workspace, 'gha-creds-0123456789abcdef.json')
  const commands = join(world.temp, '_runner_file_commands')
  const files: Record<string, string> = {
    [credentials]: JSON.stringify({ type: 'external_account', token: secret('the cloud login') }),
    [join(world.temp, 'git-credentials-1.config')]: `[http]\n\textraheader = AUTHORIZATION: basic ${secret('the login kept by the runner')}\n`,
    [join(world.temp, '.npmrc')]: `//registry.example/:_authToken=${secret('the registry login')}\n`,
    [join(commands, 'set_env_1')]: `EARLIER=${secret('a variable of an earlier step')}\n`,
    [join(home, '.git-credentials')]: `https://bot:${secret('the stored git login')}@git.example\n`,
    [join(home, '.netrc')]: `machine git.example login bot password ${secret('the netrc password')}\n`,
    [join(home, '.gitconfig')]: `[url "https://bot:${secret('the login in an address')}@git.example/"]\n\tinsteadOf = https://git.example/\n`,
    [join(home, '.docker/config.json')]: JSON.stringify({ auths: { 'registry.example': { auth: secret('the container login') } } }),
    [join(home, '.config/gh/hosts.yml')]: `github.example:\n  oauth_token: ${secret('the login of gh')}\n`,
    [join(home, '.aws/credentials')]: `[default]\naws_secret_access_key = ${secret('the login of aws')}\n`,
    [join(home, '.ssh/id_ed25519')]: `-----BEGIN OPENSSH PRIVATE KEY-----\n${secret('the ssh key')}\n-----END OPENSSH PRIVATE KEY-----\n`,
    [join(home, '.npmrc')]: `//npm.example/:_authToken=${secret('the npm login')}\n`,
  }
  const apiKey = secret('the key of the model')
  const deployKey = secret('a key of the step')
  if (knows) files[join(world.workspace, '.secrets')] = [apiKey, deployKey, token, pem, ''].join('\n')
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  // Ignored, as google-github-actions/auth advises.
  await mkdir(join(world.workspace, '.git/info'), { recursive: true })
  await writeFile(join(world.workspace, '.git/info/exclude'), 'gha-creds-*.json\n.secrets\n')

  const action = join(world.folder, 'action', 'dist')
  await cp(dirname(world.bundle), action, { recursive: true, dereference: true })
  return {
    secrets,
    knows,
    known: new Set([...Object.keys(files), join(world.workspace, '.git/config')]),
    action: await digestsOf(action),
    bundle: join(action, basename(world.bundle)),
    inputs: { 'api-key': apiKey, 'session-key': secret('the key of the session') },
    env: {
      GITHUB_TOKEN: token,
      GH_TOKEN: token,
      DEPLOY_KEY: deployKey,
      ANTHROPIC_API_KEY: secret('the key of another model'),
      AWS_SECRET_ACCESS_KEY: secret('a cloud key'),
      SIGNING_KEY: pem,
      ACTIONS_RUNTIME_TOKEN: secret('the token of the runtime'),
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret('the token for an identity'),
      ACTIONS_ID_TOKEN_REQUEST_URL: `https://pipelines.example/${secret('the address for an identity')}`,
      GOOGLE_APPLICATION_CREDENTIALS: credentials,
      GOOGLE_GHA_CREDS_PATH: credentials,
      NPM_CONFIG_USERCONFIG: join(world.temp, '.npmrc'),
      HTTPS_PROXY: '',
      PATH: [join(home, '.local/bin'), process.env.PATH].join(':'),
    },
  }
}
