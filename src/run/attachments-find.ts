import type { Trigger } from '../event/trigger.ts'
import type { Told } from '../thread/context.ts'

/** What of the thread holds the text, for asking GitHub for its HTML. Reviews have none. */
export type Holder = { readonly comment: number } | { readonly reviewComment: number } | { readonly issue: number }

/** A text that may name attachments. */
export interface AttachmentText {
  readonly text: string
  readonly author: string
  readonly holder?: Holder | undefined
}

/** An attachment as a text names it. */
export interface Attachment {
  /** Its address as it is written. */
  readonly link: string
  readonly author: string
  readonly holder: Holder | undefined
}

/** Ways under GitHub's own address, past and present, on github.com and on servers of one's own. */
const ownPaths = [
  /^\/user-attachments\/(?:assets|files)\/./,
  /^\/storage\/user\/./,
  /^\/assets\/./,
  /^\/user\/\d+\/files\/./,
  /^\/[^/]+\/[^/]+\/(?:assets|files)\/\d+\/./,
]
/** How the names of the hosts begin that pictures are handed out from. */
const imageHosts = /^(?:private-)?user-images\./

/**
 * The attachments that texts name, each once, in their order. Only addresses that GitHub hands out for uploads count: on `server` (its address, from the
 * environment) or a host below it, or on a host for pictures, by https or as the server itself is reached.
 */
export function findAttachments(texts: readonly AttachmentText[], server: string): Attachment[] {
  const own = new URL(server)
  const found = new Map<string, Attachment>()
  for (const { text, author, holder } of texts) {
    for (const [written] of text.matchAll(/https?:\/\/[^\s<>"'`\\]+/g)) {
      const link = trimmed(written)
      if (!URL.canParse(link)) continue
      const url = new URL(link)
      const key = `${url.host}${url.pathname}`
      if (isAttachment(url, own) && !found.has(key)) found.set(key, { link, author, holder })
    }
  }
  return [...found.values()]
}

/** Whether a host belongs to the server: it is the server, or stands below it, as the hosts for pictures of a server of one's own do. */
export function isOwnHost(url: URL, own: URL): boolean {
  return url.host === own.host || url.hostname.endsWith(`.${own.hostname}`)
}

function isAttachment(url: URL, own: URL): boolean {
  if (url.username !== '' || url.password !== '') return false
  if (url.protocol !== 'https:' && url.origin !== own.origin) return false
  return isOwnHost(url, own) ? ownPaths.some((path) => path.test(url.pathname)) : imageHosts.test(url.hostname)
}

/** Without the signs that end a sentence or a bracket around it. */
function trimmed(written: string): string {
  const bare = written.replace(/[.,;:!?*_|]+$/, '')
  const closes = /[)\]}]+[.,;:!?)\]}]*$/.exec(bare)
  return closes && !/[([{]/.test(bare) ? bare.slice(0, closes.index) : bare
}

/**
 * The texts of a turn that may name attachments, the most important first: what asks, the issue's or pull request's own text, what else is told of the
 * thread with the newest first.
 */
export function attachmentTexts(trigger: Trigger, request: string, told: readonly Told[]): AttachmentText[] {
  const asking: AttachmentText = { text: request, author: trigger.actor.login, holder: holderOf(trigger) }
  const rest = told.toSorted((a, b) => Number(b.row === 'subject') - Number(a.row === 'subject') || Date.parse(b.at) - Date.parse(a.at))
  return [asking, ...rest.map(({ row, id, author, text }) => ({ text, author, holder: holderIn(row, id) }))]
}

function holderOf(trigger: Trigger): Holder | undefined {
  if (trigger.event === 'issue_comment') return { comment: trigger.comment.id }
  if (trigger.event === 'pull_request_review_comment') return { reviewComment: trigger.comment.id }
  return trigger.event !== 'pull_request_review' && 'subject' in trigger ? { issue: trigger.subject.number } : undefined
}

function holderIn(row: Told['row'], id: number): Holder | undefined {
  if (row === 'subject') return { issue: id }
  if (row === 'comment') return { comment: id }
  return row === 'remark' ? { reviewComment: id } : undefined
}
