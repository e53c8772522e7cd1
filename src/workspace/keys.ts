import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { keyFile } from './files.ts'

/** Variables that name a file or a socket with what earlier steps logged in with. */
const named = [
  'GOOGLE_APPLICATION_CREDENTIALS',
  'CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE',
  'GOOGLE_GHA_CREDS_PATH',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AZURE_FEDERATED_TOKEN_FILE',
  'KUBECONFIG',
  'SSH_AUTH_SOCK',
]
/** Where tools keep logins, below the home folder. */
const ofHome = [
  '.git-credentials',
  '.config/git/credentials',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.docker/config.json',
  '.config/containers/auth.json',
  '.config/gh/hosts.yml',
  '.aws/credentials',
  '.kube/config',
  '.azure/msal_token_cache.json',
  '.config/gcloud/credentials.db',
  '.config/gcloud/application_default_credentials.json',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.terraform.d/credentials.tfrc.json',
  '.vault-token',
]
/** Sockets of the user's own services, which would do for a command what it may not do itself. */
const ofSession = ['bus', 'systemd/private', 'docker.sock', 'podman/podman.sock', 'gnupg/S.gpg-agent', 'gnupg/S.gpg-agent.extra', 'gnupg/S.gpg-agent.ssh']
/** What lies beside the keys of ssh. */
const noKey = /^(known_hosts.*|config|authorized_keys|.*\.pub)$/
/** What a runner of one's own knows GitHub by. */
const ofRunner = ['.credentials', '.credentials_rsaparams']

/** Files and sockets that may be there with keys in them. `node` is the program that runs the action. */
export function keyPlaces({ env, root, node }: { env: Readonly<Record<string, string | undefined>>; root: string; node: string }): string[] {
  const { HOME: home, XDG_RUNTIME_DIR: session = process.getuid && `/run/user/${process.getuid()}` } = env
  const runner = runnerOf(node)
  return [
    ...named.flatMap((name) => env[name] || []),
    ...(home ? [...ofHome.map((name) => join(home, name)), ...filesIn(join(home, '.ssh'), (name) => !noKey.test(name))] : []),
    ...(session ? ofSession.map((name) => join(session, name)) : []),
    ...(runner ? ofRunner.map((name) => join(runner, name)) : []),
    ...filesIn(root, (name) => keyFile.test(name)),
  ]
}

/** The folder of the runner, which brings the node along that runs actions: `externals/node24/bin/node`. */
export function runnerOf(node: string): string | undefined {
  const externals = dirname(dirname(dirname(node)))
  return basename(externals) === 'externals' ? dirname(externals) : undefined
}

function filesIn(folder: string, wanted: (name: string) => boolean): string[] {
  try {
    return readdirSync(folder).flatMap((name) => (wanted(name) ? [join(folder, name)] : []))
  } catch {
    // What is not there holds no key.
    return []
  }
}
