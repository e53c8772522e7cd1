/** What commands may know of the runner's environment: tools and places, never tokens, keys or the runner's command files (C140). */
const allowed = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TMP',
  'TEMP',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'LD_LIBRARY_PATH',
  'PKG_CONFIG_PATH',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'NO_PROXY',
  'no_proxy',
  'GOPATH',
  'GOROOT',
  'CARGO_HOME',
  'RUSTUP_HOME',
  'NVM_DIR',
  'PNPM_HOME',
  'BUN_INSTALL',
  'DENO_INSTALL',
  'VIRTUAL_ENV',
  'CONDA',
  'CONDA_PREFIX',
  'pythonLocation',
  'Python_ROOT_DIR',
  'Python3_ROOT_DIR',
  'DOTNET_ROOT',
  'ANDROID_HOME',
  'ANDROID_SDK_ROOT',
  'CHROMEWEBDRIVER',
  'CHROME_BIN',
  'RUNNER_OS',
  'RUNNER_ARCH',
  'RUNNER_TOOL_CACHE',
  // By this mark the runner finds and ends what outlives the job, a daemon in a session of its own too.
  'RUNNER_TRACKING_ID',
  'AGENT_TOOLSDIRECTORY',
  'ImageOS',
  'ImageVersion',
  'GITHUB_ACTIONS',
  'GITHUB_REPOSITORY',
  'GITHUB_WORKSPACE',
  'SystemRoot',
  'ComSpec',
  'PATHEXT',
])
const patterns = [/^LC_[A-Z]+$/, /^JAVA_HOME(_\w+)?$/, /^GOROOT_[\w.]+$/]
const proxies = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'])

/** Nobody is there to answer: no pager, no editor, no password prompt (C69). */
const fixed = {
  CI: 'true',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
  DEBIAN_FRONTEND: 'noninteractive',
} as const

/** The environment commands get, from the one this process has (C69, C140, DECISIONS 15). A proxy is passed on only without a password in it. */
export function shellEnvironment(all: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const picked: Record<string, string> = {}
  for (const [name, value] of Object.entries(all)) {
    if (value === undefined) continue
    if (allowed.has(name) || patterns.some((pattern) => pattern.test(name)) || (proxies.has(name) && !value.includes('@'))) picked[name] = value
  }
  return { ...picked, ...fixed }
}
