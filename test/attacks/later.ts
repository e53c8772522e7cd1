import { join } from 'node:path'
import { run } from '../../src/local/process.ts'
import type { World } from '../../src/local/world.ts'
import type { Machine } from './secrets.ts'

/**
 * Does what the steps after the action do in every job: the clean-up of actions/checkout and whoever else runs git in the workspace, with the job's
 * keys in their environment. What an attacker left for them must not be run.
 */
export async function laterSteps(world: World, { env }: Machine): Promise<void> {
  const git = (...args: string[]) => run('git', args, { cwd: world.workspace, env: { ...env, PATH: world.env.PATH ?? '', HOME: join(world.folder, 'home') } })
  await git('config', '--local', '--name-only', '--get-regexp', 'core\\.sshCommand')
  await git('status', '--short')
  await git('config', '--local', '--unset-all', `http.${world.github.url}/.extraheader`)
  await git('commit', '--quiet', '--allow-empty', '--message', 'later')
}
