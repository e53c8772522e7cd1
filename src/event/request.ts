import { findMention } from './mention.ts'
import type { Verb } from './trigger.ts'
import { readVerb } from './verb.ts'

/** What is known besides the words of the person. */
export interface Told {
  /** The input `prompt`: it is put in front of what the person wrote. */
  readonly prompt?: string | undefined
  /** What the trigger word alone asks for: one of `defaultRequests`. */
  readonly bare?: string
}

/** What every hidden block of ours begins with, whoever the token makes us (DESIGN, "The hidden comment thread"). */
const ownMark = /<!--\s*opencode:/i

/** Whether a text is one that we posted, by the hidden block in it (C15). A person who writes such a block is only not heard. */
export function isOwn(body: string): boolean {
  return ownMark.test(body)
}

/** What a comment, remark, review or description asks for; undefined when it does not call us, or when it is our own. Pure. */
export function requestIn(body: string, triggers: readonly string[], { prompt, bare = '' }: Told = {}): Verb | undefined {
  if (isOwn(body)) return undefined
  const mention = findMention(body, triggers)
  if (!mention) return undefined
  const verb = readVerb(mention)
  if (verb.type !== 'prompt') return verb
  return { type: 'prompt', text: [prompt, verb.text].filter((part) => part).join('\n\n') || bare }
}
