import { adviceOf } from '../failure.ts'
import type { GitHub } from '../github/types.ts'
import type { Texts } from '../prompt/texts.ts'
import type { PromptPart } from '../session/user.ts'
import { clean, cut } from '../text.ts'
import { attributes, quoted } from '../thread/context/quote.ts'
import { withoutInvisible } from '../thread/visible-characters.ts'
import { mediaOf } from '../tool/media.ts'
import type { Network } from '../tool/net/address.ts'
import { type Attachment, type AttachmentText, findAttachments, type Holder } from './attachments-find.ts'
import { type Download, download, NotHad, type Server } from './attachments-get.ts'

export { type AttachmentText, attachmentTexts } from './attachments-find.ts'

export interface AttachmentsInput {
  /** What the model is told, the most important first. */
  readonly from: readonly AttachmentText[]
  readonly github: Pick<GitHub, 'bodyHtml'>
  readonly server: Server
  /** Looks up a text of `prompts/`. */
  readonly texts: Texts
  readonly signal: AbortSignal
  readonly network?: Network
}

export interface Attachments {
  /** To be sent with the request: a text that says what there is, then the files. */
  readonly parts: readonly PromptPart[]
  /** Sentences for people, one for each that could not be had. */
  readonly notes: readonly string[]
}

/** Attachments, bytes of one and of all, and ms for one and for all. */
const most = { count: 10, bytes: 10 * 1024 * 1024, all: 20 * 1024 * 1024, time: 30_000, allTime: 90_000 }
/** Characters of a text file that are shown. */
const textChars = 20_000

/** What became of one: a line for the model, and the file itself where a model can be given it. */
interface Taken {
  readonly line: string
  readonly part?: PromptPart
  readonly note?: string
}

/**
 * Downloads what people attached to the texts of a thread, so that the model sees the pictures they speak of. Types are told by content (C40); what can't be
 * had or shown is described, with one note for people, and the link stays in the text (C41). Nothing at all happens where no text names an attachment.
 * Never throws but the reason of the signal.
 */
export async function attachmentsOf({ from, github, server, texts, signal, network }: AttachmentsInput): Promise<Attachments> {
  const found = findAttachments(from, server.url)
  if (found.length === 0) return { parts: [], notes: [] }
  const wanted = found.slice(0, most.count)
  const html = new Htmls(github)
  const end = AbortSignal.any([signal, AbortSignal.timeout(most.allTime)])
  const taken: Taken[] = []
  let room = most.all
  for (const attachment of wanted) {
    const maxBytes = Math.min(most.bytes, room)
    try {
      if (end.aborted) throw new NotHad('there was no time left for it')
      if (maxBytes <= 0) throw new NotHad('together with the others it is too large')
      const address = await html.signed(attachment, server.url)
      const got = await download(address, { server, maxBytes, timeout: most.time, signal: end, network })
      room -= got.bytes.length
      taken.push(take(got, attachment))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const reason = error instanceof NotHad ? error.message : end.aborted ? 'there was no time left for it' : adviceOf(error)
      taken.push({ line: `could not be had: ${reason}`, note: `The attachment ${attachment.link} was not shown to the model: ${reason}.` })
    }
  }
  const more = found.length - wanted.length
  const lines = taken.map(({ line }, index) => `${index + 1}. ${quoted(wanted[index]?.link ?? '')} by ${quoted(wanted[index]?.author ?? '')}: ${line}`)
  const list = [...lines, ...(more > 0 ? [`(${more} more attachments left out)`] : [])].join('\n')
  return {
    parts: [{ type: 'text', synthetic: true, text: texts('github/attachments', { list }) }, ...taken.flatMap(({ part }) => part ?? [])],
    notes: [...taken.flatMap(({ note }) => note ?? []), ...(more > 0 ? [`Of ${found.length} attachments the model was shown the first ${most.count}.`] : [])],
  }
}

function take({ bytes, type, name }: Download, { link }: Attachment): Taken {
  const mayBePage = /\.html?$/i.test(name) || /\.html?$/i.test(new URL(link).pathname)
  // A page in place of a file is a request to sign in.
  if (isHtml(bytes, type) && !mayBePage) throw new NotHad('a page came in its place, as for somebody who is not signed in')
  const media = mediaOf(bytes)
  const size = `${bytes.length.toLocaleString('en')} bytes`
  if (media?.mime === 'application/pdf' && bytes.length > media.max) throw new NotHad(`a PDF of ${size} is too large for a model`)
  if (media) {
    const { mime } = media
    const filename = /\.\w{2,5}$/.test(name) ? name : `${name}.${mime.split('/')[1]}`
    return { line: `${mime}, attached as ${quoted(filename)}`, part: { type: 'file', mime, filename, url: `data:${mime};base64,${bytes.toString('base64')}` } }
  }
  const text = textIn(bytes)
  if (text === undefined) {
    const kind = kindOf(bytes)
    return { line: `${kind} of ${size}, which can't be shown`, note: `The attachment ${link} was not shown to the model: it is ${kind}.` }
  }
  const shown = cut(text, textChars)
  const rest = text.length - shown.length
  const block = [
    `<github_attachment${attributes({ name, link })}>`,
    quoted(shown),
    ...(rest > 0 ? [`(${rest} more characters left out)`] : []),
    '</github_attachment>',
  ]
  return { line: 'text, below', part: { type: 'text', synthetic: true, text: block.join('\n') } }
}

function isHtml(bytes: Buffer, type: string): boolean {
  return (
    type === 'text/html' ||
    type === 'application/xhtml+xml' ||
    /^\s*(?:<!--[\s\S]{0,500}?-->\s*)?<(?:!doctype html|html)\b/i.test(bytes.toString('latin1', 0, 1_000))
  )
}

/** The text of bytes that are one in UTF-8. */
function textIn(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return withoutInvisible(clean(new TextDecoder('utf-8', { fatal: true }).decode(bytes))).text
  } catch {
    // No UTF-8, so no text.
    return undefined
  }
}

/** What a file that is not shown is, by its first bytes. */
function kindOf(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('PK\x03\x04')) return 'a ZIP archive or an office document'
  if (start.startsWith('\x1f\x8b')) return 'a gzip archive'
  if (start.slice(4, 8) === 'ftyp' || start.startsWith('\x1a\x45\xdf\xa3')) return 'a video'
  return 'a file of an unknown kind'
}

/** The HTML of texts, in which GitHub writes signed addresses for its attachments; each is asked for once. */
class Htmls {
  readonly #github: Pick<GitHub, 'bodyHtml'>
  readonly #known = new Map<string, Promise<string>>()

  constructor(github: Pick<GitHub, 'bodyHtml'>) {
    this.#github = github
  }

  /** The address by which an attachment can be had: a signed one where there is one, else its own. */
  async signed({ link, holder }: Attachment, server: string): Promise<string> {
    const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(new URL(link).pathname)?.[0]
    if (!holder || !id) return link
    const html = await this.#html(holder)
    const addresses = [...html.matchAll(/\b(?:src|href)\s*=\s*["'](https?:\/\/[^"']+)["']/gi)].map((match) => (match[1] ?? '').replaceAll('&amp;', '&'))
    const signed = addresses.find((address) => URL.canParse(address) && isSigned(new URL(address), id, server))
    return signed ?? link
  }

  async #html(holder: Holder): Promise<string> {
    const key = JSON.stringify(holder)
    // Without it the attachment's own address is tried, which says what is wrong if that is refused as well.
    const asked = this.#known.get(key) ?? this.#github.bodyHtml(holder).catch(() => '')
    this.#known.set(key, asked)
    return asked
  }
}

/** An address outside the server that names the attachment and carries something that can be a signature. */
function isSigned(url: URL, id: string, server: string): boolean {
  return url.origin !== new URL(server).origin && url.pathname.includes(id) && url.search !== ''
}
