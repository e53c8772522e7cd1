import { z } from 'zod'
import { attachmentPath, signedUrl } from './files.ts'
import type { ApiRequest, Reply } from './http.ts'
import type { Urls } from './links.ts'
import type { State } from './state.ts'

/** Bodies as HTML for those who ask for it by the Accept header: as much of Markdown as attachments need. */

const asked = /application\/vnd\.github(?:\.v3)?\.(html|full)\b/
const WithBody = z.looseObject({ body: z.string().nullable() })

/** An answer whose bodies are HTML where the request asked for that: `html` in their place, `full` beside them. */
export function asHtml(state: State, urls: Urls, request: ApiRequest, reply: Reply): Reply {
  const [, form] = asked.exec(request.headers.accept ?? '') ?? []
  if (form === undefined || reply.status >= 300) return reply
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert)
    const found = WithBody.safeParse(value)
    if (!found.success) return value
    const { body, ...rest } = found.data
    return { ...rest, ...(form === 'full' ? { body } : {}), body_html: toHtml(state, urls, body ?? '') }
  }
  return { ...reply, body: convert(reply.body) }
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Paragraphs, links and pictures; pictures of ours get signed addresses. HTML comments vanish. */
function toHtml(state: State, urls: Urls, markdown: string): string {
  const signed = (address: string) => {
    const [, id = ''] = attachmentPath.exec(address.startsWith(urls.html) ? address.slice(urls.html.length) : '') ?? []
    return state.attachments.get(id)?.name === '' ? signedUrl(urls, id) : address
  }
  const picture = (address: string, alt: string) => {
    const url = escaped(signed(address))
    return `<a target="_blank" rel="noopener noreferrer" href="${url}"><img src="${url}" alt="${escaped(alt)}" style="max-width: 100%;"></a>`
  }
  const token = /<!--[\s\S]*?-->|<img\b[^>]*?\bsrc="([^"]+)"[^>]*>|!\[([^\]]*)\]\(([^)\s]+)[^)]*\)|\[([^\]]*)\]\(([^)\s]+)[^)]*\)|(https?:\/\/[^\s<>)"]+)/g
  const inline = (text: string) => {
    let at = 0
    let out = ''
    for (const match of text.matchAll(token)) {
      const [whole, source, alt, image, words, link, bare] = match
      out += escaped(text.slice(at, match.index))
      at = match.index + whole.length
      if (source !== undefined || image !== undefined) out += picture(source ?? image ?? '', alt ?? 'image')
      else if (link !== undefined || bare !== undefined) out += `<a href="${escaped(link ?? bare ?? '')}">${escaped(words ?? bare ?? '')}</a>`
    }
    return out + escaped(text.slice(at))
  }
  return markdown
    .split(/\n{2,}/)
    .map((block) => `<p dir="auto">${inline(block).replaceAll('\n', '<br>\n')}</p>`)
    .join('\n')
}
