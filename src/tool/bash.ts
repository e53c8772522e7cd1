import { z } from 'zod'
import { limits } from '../limits.ts'
import { cut } from '../text.ts'
import type { Files } from '../workspace/files.ts'
import type { Shell, ShellResult } from '../workspace/shell.ts'
import { type Draft, draft } from './draft.ts'
import { ToolError } from './errors.ts'
import { integer, optional } from './parameters.ts'
import type { Rules } from './permission.ts'
import { bashPermissions } from './shell-commands-permissions.ts'
import { clean } from './text.ts'
import { shorten, type Truncate, whereToRead } from './truncate.ts'

const parameters = z.object({
  command: z.string().min(1).describe('Shell command'),
  timeout: integer(1, `Milliseconds, default ${limits.shellTimeout}`),
  workdir: optional(z.string().describe('Folder to run in, default the working directory')),
})

/** Node counts timers in 31 bits; a larger one would fire at once. */
const maxTimeout = 2 ** 31 - 1
const titleChars = 100

/** Runs a shell command. How it ended stands on the last line when that was not with exit code 0 (DECISIONS 15). */
export function bashTool({ files, shell, truncate, assets }: { files: Files; shell: Shell; truncate: Truncate; assets: string }): Draft {
  const needs = ({ command, workdir }: z.output<typeof parameters>, rules: Rules) => {
    const { HOME: home } = shell.env
    const directory = files.locate(workdir ?? files.directory, 'read')
    return bashPermissions(command, { root: files.root, directory, assets, ...(home === undefined ? {} : { home }) }, rules)
  }
  return draft('bash', parameters, needs, async (input, context) => {
    const cwd = files.locate(input.workdir ?? files.directory, 'read')
    if (files.isExtra(cwd)) throw new ToolError(`${input.workdir} is not in the workspace.`, 'Leave `workdir` out, or name a folder of the workspace.')
    const timeout = Math.min(input.timeout ?? limits.shellTimeout, maxTimeout)
    const title = cut(input.command.trim().split('\n')[0] ?? '', titleChars)
    context.metadata({ title })
    const result = await shell.run(input.command, { cwd, timeout, signal: context.signal })
    const { text, truncated, file } = await present(result, truncate)
    const output = [text.trim() === '' ? '(no output)' : text.replace(/\n+$/, ''), ending(result, timeout)].filter((piece) => piece !== '').join('\n')
    return {
      title,
      output,
      metadata: { exit: result.code ?? null, ended: result.ended, bytes: result.bytes, truncated, ...(file === undefined ? {} : { outputPath: file }) },
    }
  })
}

async function present(result: ShellResult, truncate: Truncate): Promise<{ text: string; truncated: boolean; file?: string }> {
  if (result.whole) return truncate(clean(result.head), 'both')
  const head = clean(result.head)
  const tail = clean(result.tail)
  const { saved } = result
  const part = saved && saved.bytes < result.bytes ? `Only the first ${saved.bytes} bytes were saved. ` : ''
  const hint = saved ? part + whereToRead(saved.file) : 'The rest could not be saved.'
  return { text: shorten({ ...result, head, tail }, 'both', hint), truncated: true, ...(saved ? { file: saved.file } : {}) }
}

function ending({ ended, code, signal }: ShellResult, timeout: number): string {
  if (ended === 'timeout') {
    return `(timed out after ${timeout} ms; the command and its children were ended. If it needs longer, call again with a larger timeout)`
  }
  if (ended === 'abort') return '(stopped: the run was cancelled)'
  if (signal !== undefined) return `(ended by ${signal})`
  return code === 0 ? '' : `(exit code ${code})`
}
