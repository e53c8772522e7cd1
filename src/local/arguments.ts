import { parseArgs } from 'node:util'
import { messageOf } from '../failure.ts'
import { LocalError } from './errors.ts'

/** What `npm start` was asked to do. */
export type Wish =
  | { readonly kind: 'help' }
  | { readonly kind: 'tour' }
  | { readonly kind: 'demo'; readonly scripted: boolean; readonly model?: string }
  | { readonly kind: 'repository'; readonly folder: string; readonly comments: readonly string[]; readonly scripted: boolean; readonly model?: string }

export const help = `Plays the action on this machine: an emulated GitHub, a git remote and a model, all on loopback.

  npm start                                            a small repository with a failing test: an issue, a comment, a follow-up
  npm start -- --repo DIR --comment "/opencode ..."    the same on a copy of your own checkout; nothing in DIR is changed
  npm start -- --tour                                  a review, a comment during the work, a cancel, refused pushes, a schedule; scripted

Options
  --repo DIR          a git repository; what is committed on its current branch is copied, uncommitted changes are left out
  --comment TEXT      what you write under the issue; give it again for a follow-up in the same thread
  --model NAME        provider/model; otherwise the best model of the first provider whose key is set
  --tour              plays five scenes, each of which says whether it came out as it should; status 1 when one did not
  --scripted          uses the scripted model although a key is set
  --help              this text

With a provider's key in the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, ...) the real model is used, and paid for.
Without one the demo follows a script. Needs git and Node 20 or newer.`

/** Reads the command line. Throws `LocalError` with one line about the first thing that is wrong with it. */
export function readArguments(argv: readonly string[]): Wish {
  const { help: wantsHelp = false, tour = false, scripted = false, repo, comment = [], model } = values(argv)
  if (wantsHelp) return { kind: 'help' }
  if (tour && (repo !== undefined || comment.length > 0 || model !== undefined)) throw wrong('--tour follows a script and takes no other option')
  if (tour) return { kind: 'tour' }
  if (scripted && model !== undefined) throw wrong('--scripted and --model exclude each other')
  if (model !== undefined && !/^[^/\s]+\/\S+$/.test(model)) throw wrong(`--model wants provider/model, not "${model}"`)
  const common = { scripted, ...(model === undefined ? {} : { model }) }
  if (repo === undefined && comment.length === 0) return { kind: 'demo', ...common }
  if (repo === undefined) throw wrong('--comment needs --repo DIR')
  if (comment.length === 0) throw wrong('--repo needs --comment "/opencode ..."')
  if (comment.some((text) => text.trim() === '')) throw wrong('--comment is empty')
  return { kind: 'repository', folder: repo, comments: comment, ...common }
}

function values(argv: readonly string[]) {
  try {
    const options = {
      help: { type: 'boolean', short: 'h' },
      tour: { type: 'boolean' },
      scripted: { type: 'boolean' },
      repo: { type: 'string' },
      comment: { type: 'string', multiple: true },
      model: { type: 'string' },
    } as const
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw wrong(messageOf(error).split(/\. |\n/)[0] ?? 'the arguments could not be read')
  }
}

/** A fault in the command line, told in one line. */
export const wrong = (what: string): LocalError => new LocalError(what, 'npm start -- --help shows what can be given')
