import type { Mention } from './mention.ts'
import type { Verb } from './trigger.ts'

/** What is asked for where a person writes the trigger word alone, or nobody writes anything. */
export const defaultRequests = {
  issue: 'Work on this issue: find out what it asks for and do it.',
  pull: 'Review this pull request: say what is good, what is wrong and what is missing. Change nothing.',
  remark:
    'Do what this thread of remarks asks about these lines. Where it asks for nothing, say what the lines do and what is wrong with them, and change nothing.',
  review: 'Work on this review: do what its remarks ask for, and answer its questions.',
  run: 'Find out why this workflow run failed, and fix the cause.',
} as const

/**
 * What a mention asks for (DESIGN, "Verbs after the trigger"). Options in the text stay text (C147).
 *
 * - `cancel`, `undo` and `help` count when they are all that follows and the trigger word begins its line.
 * - `continue`, `/name` and `!command` count only when the trigger word begins the whole text: with prose before it they become part of
 *   the prompt, so that nothing a person says is lost.
 * - `!command` is one line. What follows on further lines may be prose or a mail signature, and is no business of a shell.
 *
 * A prompt's text is empty when nothing but the trigger word was said.
 */
export function readVerb(mention: Mention): Verb {
  const rest = withoutLead(mention.after).trimEnd()
  const word = rest.toLowerCase().replace(/[.!]+$/, '')
  const beginsLine = /(?:^|\n)[^\S\n]*$/.test(mention.before)
  if (beginsLine && (word === 'cancel' || word === 'undo' || word === 'help')) return { type: word }
  if (mention.before.trim() === '') {
    if (word === 'continue') return { type: 'continue' }
    const [, name, args] = /^\/([\w/-]+(?::[\w/.-]+)?)(?:\s+(.*))?$/s.exec(rest) ?? []
    if (name !== undefined) return { type: 'command', name, arguments: args ?? '' }
    const [, command] = /^![^\S\n]*(\S.*)$/.exec(rest) ?? []
    if (command !== undefined) return { type: 'shell', command }
  }
  const said = join(mention)
  return { type: 'prompt', text: /[\p{L}\p{N}\p{So}]/u.test(said) ? said : '' }
}

/** Everything said, without the trigger word; prose and code on both sides of it keep their bytes and their lines. */
function join({ before, after }: Mention): string {
  if (before.trim() === '') return withoutLead(after).trimEnd()
  const lead = before.replace(/[^\S\n]+$/, '')
  const rest = after.replace(/^[^\S\n]+/, '')
  const space = lead === before || lead.endsWith('\n') || rest === '' || rest.startsWith('\n') ? '' : ' '
  return (lead + space + rest).trimEnd()
}

/** Drops white space in front, but not the indentation of a code block that begins on the next line. */
function withoutLead(text: string): string {
  return text.replace(/^[^\S\n]*(?:\n(?:[^\S\n]*\n)*)?/, '')
}
