import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Octokit } from '@octokit/rest'
import { z } from 'zod'
import type { World } from '../../src/local/world.ts'

/** Ways for the tests of the emulated GitHub to speak to it as others do. */

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A client as the action has it: with the world's token. */
export const octokitOf = (world: World): Octokit => new Octokit({ auth: world.github.state.token, baseUrl: world.github.apiUrl, log })

const RequestError = z.object({ status: z.number(), message: z.string(), response: z.object({ data: z.unknown() }) })

/** How GitHub turned a request down. */
export async function refusal(request: Promise<unknown>): Promise<{ status: number; text: string }> {
  const error: unknown = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  const { status, message, response } = RequestError.parse(error, { error: () => 'the request was not refused' })
  return { status, text: `${message} ${JSON.stringify(response.data ?? {})}` }
}

/** Runs git as a person's or the runner's machine does; rejects with git's words. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }
  return (await promisify(execFile)('git', args, { cwd, env, maxBuffer: 1 << 26 })).stdout
}

/** Options that make git send a token. */
export const withToken = (token: string): string[] => [
  '-c',
  `http.extraheader=AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
]

/** A clone of a repository with one commit on top that adds or changes files. */
export async function cloneWith(world: World, files: Readonly<Record<string, string>>, repository = 'octo/demo', branch = 'main'): Promise<string> {
  const clone = join(world.folder, `clone-${Math.random().toString(36).slice(2)}`)
  await git(world.folder, ...withToken(world.github.state.token), 'clone', '--quiet', '--branch', branch, `${world.github.url}/${repository}.git`, clone)
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(clone, name)), { recursive: true })
    await writeFile(join(clone, name), content)
  }
  await git(clone, 'add', '.')
  await git(clone, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'New')
  return clone
}
