import { basename } from 'node:path'
import { z } from 'zod'
import { type Draft, draft } from './draft.ts'
import { ToolError } from './errors.ts'
import { mediaOf } from './media.ts'
import { type Network, publicNetwork } from './net/address.ts'
import type { Page } from './net/get.ts'
import { fromHtml } from './net/html.ts'
import { integer, optional } from './parameters.ts'
import type { PermissionNeed } from './permission.ts'
import type { ToolResult } from './tool.ts'

const formats = ['markdown', 'text', 'html'] as const
const parameters = z.object({
  url: z.string().min(1).describe('Address, http or https'),
  format: optional(z.enum(formats).describe('Form of an HTML page, default markdown')),
  timeout: integer(1, 'Seconds, default 30, at most 120'),
})

/** Bytes of a page, and seconds for it (the engine's description 3.10). */
const maxBytes = 5 * 1024 * 1024
const defaultSeconds = 30
const maxSeconds = 120
const accept = 'text/markdown, text/html;q=0.9, text/plain;q=0.9, */*;q=0.1'

export interface WebOptions {
  /** Which places of the network may be reached. Only tests say anything but the public internet. */
  readonly network?: Network
}

/** Fetches a page of the public internet: HTML as Markdown or text, other text as it is, images and PDF as attachments. */
export function webfetchTool({ network }: WebOptions): Draft {
  return draft(
    'webfetch',
    parameters,
    ({ url }) => needs(url),
    async (input, context) => {
      context.metadata({ title: input.url })
      // Node's own HTTP and TLS take some 10 ms to load, which few runs need.
      const { getPage } = await import('./net/get.ts')
      const page = await getPage(input.url, {
        network: network ?? (await publicNetwork()),
        headers: { accept, 'accept-language': 'en, *;q=0.5', 'user-agent': 'Mozilla/5.0 (compatible; opencode-action)' },
        timeout: Math.min(input.timeout ?? defaultSeconds, maxSeconds) * 1_000,
        maxBytes,
        signal: context.signal,
        visit: (url) => context.ask?.({ permission: 'webfetch', patterns: [url.href] }),
      })
      if (page.status < 200 || page.status > 299) throw refused(page)
      return media(page) ?? text(page, input.url, input.format ?? 'markdown')
    },
  )
}

/** The address as written and, where that is another, as it is understood: neither capitals nor odd notations get past a rule. */
function needs(url: string): readonly PermissionNeed[] {
  const href = URL.canParse(url) ? new URL(url).href : url
  return [{ permission: 'webfetch', patterns: href === url || href === `${url}/` ? [url] : [url, href] }]
}

function refused({ url, status, headers }: Page): ToolError {
  const fault = (what: string, hint: string) => new ToolError(`${url.href} answered ${status}: ${what}.`, hint)
  if (headers['cf-mitigated'] === 'challenge') return fault('the site lets only browsers in', 'Use another source.')
  if (status === 401 || status === 403) return fault('access is refused', 'The page may need a sign-in; use another source.')
  if (status === 404 || status === 410) return fault('there is no such page', 'Check the address, or search for the page.')
  if (status === 429) return fault('too many requests', 'Use another source, or try again later.')
  return fault(status >= 500 ? 'the server failed' : 'the page was not given', 'Try again later, or use another source.')
}

/** The type alone, without parameters such as `charset`. */
function typeOf({ headers }: Page): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

function media(page: Page): ToolResult | undefined {
  const { url, bytes } = page
  const type = typeOf(page)
  const kind = mediaOf(bytes)
  if (!kind) {
    if (type.startsWith('image/') && type !== 'image/svg+xml')
      throw new ToolError(`${url.href} is an image of type ${type}, which cannot be shown.`, 'Do without it.')
    return undefined
  }
  const what = kind.mime === 'application/pdf' ? 'PDF' : 'image'
  if (bytes.length > kind.max) {
    throw new ToolError(
      `The ${what} ${url.href} has ${bytes.length} bytes; at most ${kind.max} can be shown.`,
      'Download it with curl through bash, or do without.',
    )
  }
  return {
    title: url.href,
    output: `The ${what} ${url.href} (${kind.mime}, ${bytes.length} bytes) is attached.`,
    metadata: { url: url.href, type: kind.mime, truncated: false },
    attachments: [
      { type: 'file', mime: kind.mime, url: `data:${kind.mime};base64,${bytes.toString('base64')}`, filename: basename(url.pathname) || url.hostname },
    ],
  }
}

async function text(page: Page, asked: string, format: (typeof formats)[number]): Promise<ToolResult> {
  const { url } = page
  const content = readable(page)
  const isHtml = ['text/html', 'application/xhtml+xml'].includes(typeOf(page)) || (typeOf(page) === '' && /^\s*<(!doctype html|html)/i.test(content))
  const body = isHtml && format !== 'html' ? await fromHtml(content, format, url) : content
  const moved = new URL(asked).href === url.href ? '' : `(${asked} leads to ${url.href})\n\n`
  return { title: url.href, output: moved + (body.trim() === '' ? '(the page is empty)' : body), metadata: { url: url.href, type: typeOf(page) } }
}

/** A page in the character set it says it has; UTF-8 without one, or when it names one nobody knows. */
function readable(page: Page): string {
  const { url, bytes, headers } = page
  if (bytes.subarray(0, 8_000).includes(0) && !/^(text\/|application\/(json|xml|xhtml))/.test(typeOf(page))) {
    throw new ToolError(`${url.href} is a binary file of type ${typeOf(page) || 'unknown'}.`, 'Download it with curl through bash.')
  }
  const named = /charset\s*=\s*["']?([\w-]+)/i
  const charset = named.exec(headers['content-type'] ?? '')?.[1] ?? named.exec(bytes.toString('latin1', 0, 1_024))?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    // An unknown name; most pages are UTF-8 whatever they say.
    return new TextDecoder().decode(bytes)
  }
}
