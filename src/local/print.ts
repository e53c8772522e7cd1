import type { ThreadComment } from './github/state.ts'
import type { ScriptedModel } from './model.ts'

/** Texts of the demo, for a terminal without colours. */

export const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`
export const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`
export const rule = '─'.repeat(78)
export const indent = (text: string, by = '  '): string => text.replaceAll(/^(?=.)/gm, by)

const hidden = /<!--[\s\S]*?(?:-->|$)/g

/** A comment as a reader sees it, and how much of it is hidden in HTML comments, in bytes. */
export function visible(body: string): { readonly text: string; readonly hiddenBytes: number } {
  const parts = body.match(hidden) ?? []
  return {
    text: body.replaceAll(hidden, '').trim(),
    hiddenBytes: parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0),
  }
}

/** One post of a thread, headed by who wrote it. `hidden` says what lies in its HTML comments. */
export function post(author: string | null, what: string, body: string, hidden = 'of session'): string {
  const { text, hiddenBytes } = visible(body)
  const note = hiddenBytes === 0 ? '' : `\n\n  [not shown by GitHub: ${kilobytes(hiddenBytes)} ${hidden} in an HTML comment]`
  return `${rule}\n${author ?? 'ghost'} ${what}\n\n${indent(text)}${note}\n`
}

/** The comments of a thread, oldest first. */
export const commentsText = (comments: readonly ThreadComment[]): string => comments.map(({ author, body }) => post(author, 'commented', body)).join('')

/** Sizes of requests as one line: how many, the first, the last. */
export function requestSizes(requests: ReturnType<ScriptedModel['requests']>): string {
  const sizes = requests.map((request) => Buffer.byteLength(JSON.stringify(request)))
  const [first = 0] = sizes
  return `model requests: ${sizes.length}, the first ${kilobytes(first)}, the last ${kilobytes(sizes.at(-1) ?? 0)}`
}

/** Whether a request to the model holds all of these texts. */
export function holds(request: ReturnType<ScriptedModel['requests']>[number] | undefined, texts: readonly string[]): boolean {
  const said = (request?.messages ?? []).map(({ content }) =>
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n'),
  )
  return texts.every((text) => text.trim() !== '' && said.some((message) => message.includes(text.trim())))
}
