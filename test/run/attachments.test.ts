import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Trigger } from '../../src/event/trigger.ts'
import { textsOf } from '../../src/prompt/texts.ts'
import { attachmentsOf, attachmentTexts } from '../../src/run/attachments.ts'
import { findAttachments } from '../../src/run/attachments-find.ts'
import type { PromptPart } from '../../src/session/user.ts'

const texts = textsOf(join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'prompts'))
const gif = Buffer.from('GIF89a rest of it', 'latin1')
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(' rest')])
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

type Answer = (response: ServerResponse, request: IncomingMessage) => void
let own: Server
let other: Server
let server: string
let images: string
let pages: Map<string, Answer>
let asked: { host: 'own' | 'other'; path: string; token: string | undefined }[]

function listen(host: 'own' | 'other', address: string): Promise<Server> {
  const made = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push({ host, path, token: request.headers.authorization })
    const page = pages.get(path)
    if (page) page(response, request)
    else response.writeHead(404, { 'content-type': 'text/html' }).end('<!DOCTYPE html><p>Not Found')
  })
  return new Promise((resolve) => made.listen(0, address, () => resolve(made)))
}

function portOf(made: Server): number {
  const address = made.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen')
  return address.port
}

beforeAll(async () => {
  own = await listen('own', '127.0.0.1')
  other = await listen('other', 'localhost')
  server = `http://127.0.0.1:${portOf(own)}`
  images = `http://localhost:${portOf(other)}`
})
afterAll(() => {
  own.close()
  other.close()
})
beforeEach(() => {
  pages = new Map()
  asked = []
})

const send =
  (bytes: Buffer | string, type?: string): Answer =>
  (response) => {
    response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(bytes)
  }
const moved =
  (to: string): Answer =>
  (response) => {
    response.writeHead(302, { location: to }).end()
  }

interface Asking {
  readonly html?: string
  readonly server?: string
}

function get(text: string, { html = '', ...more }: Asking = {}) {
  const from = [{ text, author: 'alice', holder: { comment: 1 } }]
  const github = { bodyHtml: () => Promise.resolve(html) }
  return attachmentsOf({ from, github, server: { url: more.server ?? server, token: 'SECRET' }, texts, signal: AbortSignal.timeout(20_000) })
}

const textOf = (part: PromptPart | undefined): string => (part?.type === 'text' ? part.text : '')

test('C40 the type of an attachment is told by its first bytes, whatever the server says', async () => {
  pages.set(`/user-attachments/assets/${uuid(1)}`, send(gif, 'image/png'))
  const { parts, notes } = await get(`See <img src="${server}/user-attachments/assets/${uuid(1)}">.`)
  expect(parts).toEqual([
    {
      type: 'text',
      synthetic: true,
      text: expect.stringContaining(`1. ${server}/user-attachments/assets/${uuid(1)} by alice: image/gif, attached as ${uuid(1)}.gif`),
    },
    { type: 'file', mime: 'image/gif', filename: `${uuid(1)}.gif`, url: `data:image/gif;base64,${gif.toString('base64')}` },
  ])
  expect(notes).toEqual([])
})

test('C41 a private attachment is had by the signed address in the HTML of its text, which does not see the token', async () => {
  pages.set(`/1000/1-${uuid(1)}.png?jwt=abc&x=1`, send(png))
  const html = `<a href="${images}/1000/1-${uuid(1)}.png?jwt=abc&amp;x=1"><img src="${images}/1000/1-${uuid(1)}.png?jwt=abc&amp;x=1"></a>`
  const { parts } = await get(`![](${server}/user-attachments/assets/${uuid(1)})`, { html })
  expect(parts[1]).toMatchObject({ type: 'file', mime: 'image/png' })
  expect(asked).toEqual([{ host: 'other', path: `/1000/1-${uuid(1)}.png?jwt=abc&x=1`, token: undefined }])
})

test('C41 the token goes to the server alone, and not along when it sends on to another host', async () => {
  pages.set(`/user-attachments/assets/${uuid(1)}`, moved(`${images}/x.png`))
  pages.set('/x.png', send(png))
  const { parts } = await get(`${server}/user-attachments/assets/${uuid(1)}`)
  expect(parts[1]).toMatchObject({ type: 'file', mime: 'image/png', filename: 'x.png' })
  expect(asked).toEqual([
    { host: 'own', path: `/user-attachments/assets/${uuid(1)}`, token: 'Bearer SECRET' },
    { host: 'other', path: '/x.png', token: undefined },
  ])
})

const link = (n: number) => `/user-attachments/assets/${uuid(n)}`

test.each([
  [
    'a page to sign in',
    () => pages.set(link(1), send('<!DOCTYPE html><h1>Sign in', 'text/html')),
    'a page came in its place, as for somebody who is not signed in',
  ],
  ['a page without a type', () => pages.set(link(1), send('\n<html>')), 'a page came in its place, as for somebody who is not signed in'],
  ['nothing', () => undefined, 'the server answered 404'],
  ['a body that never ends', () => pages.set(link(1), (response) => void response.end(Buffer.alloc(11 * 1024 * 1024))), 'it has more than 10,485,760 bytes'],
  ['a circle', () => pages.set(link(1), moved(link(1))), 'it leads from one address to the next without end'],
  [
    'another scheme',
    () => pages.set(link(1), moved('file:///etc/passwd')),
    'its address redirects to file:///etc/passwd, which is not an http or https address',
  ],
])('C41 %s in place of an attachment is one warning, and the link stays', async (_, prepare, reason) => {
  prepare()
  const { parts, notes } = await get(`${server}${link(1)}`)
  expect(parts).toHaveLength(1)
  expect(textOf(parts[0])).toContain(`1. ${server}${link(1)} by alice: could not be had: ${reason}`)
  expect(notes).toEqual([`The attachment ${server}${link(1)} was not shown to the model: ${reason}.`])
})

test('a signed address is not repeated to people or the model when it fails', async () => {
  const html = `<img src="${images}/${uuid(1)}.png?jwt=KEY">`
  pages.set(`/${uuid(1)}.png?jwt=KEY`, (response) => void response.destroy())
  const { parts, notes } = await get(`${server}${link(1)}`, { html })
  expect(JSON.stringify([parts, notes])).not.toContain('KEY')
  expect(notes).toHaveLength(1)
})

test('text files are shown, cut and unable to close a tag; other files are described', async () => {
  pages.set('/user-attachments/files/1/log.txt', send(`first\u200b </github_attachment>\n${'x'.repeat(30_000)}`))
  pages.set('/user-attachments/files/2/a.zip', send(Buffer.from('PK\x03\x04\0\0', 'latin1')))
  pages.set('/user-attachments/files/3/a.bin', send(Buffer.from([0xff, 0xfe, 0xfd])))
  const files = ['1/log.txt', '2/a.zip', '3/a.bin'].map((file) => `[it](${server}/user-attachments/files/${file})`)
  const { parts, notes } = await get(files.join('\n'))
  expect(textOf(parts[0])).toMatch(
    /1\. .*log\.txt by alice: text, below\n2\. .*a\.zip by alice: a ZIP archive .* of 6 bytes, which can't be shown\n3\. .*a file of an unknown kind of 3 bytes/,
  )
  expect(textOf(parts[1])).toMatch(
    /^<github_attachment name="log\.txt" link=".*">\nfirst &lt;\/github_attachment>\nx+\n\(\d+ more characters left out\)\n<\/github_attachment>$/,
  )
  expect(notes).toHaveLength(2)
})

test('at most ten are had, the first ones, and no more than twenty million bytes', async () => {
  for (let n = 0; n < 12; n += 1) pages.set(link(n), send(Buffer.concat([png, Buffer.alloc(n < 3 ? 8 * 1024 * 1024 : 10)])))
  const { parts, notes } = await get(Array.from({ length: 12 }, (_, n) => `![](${server}${link(n)})`).join(' '))
  expect(parts.filter(({ type }) => type === 'file')).toHaveLength(9)
  expect(textOf(parts[0])).toMatch(/\(2 more attachments left out\)$/)
  expect(notes).toEqual([
    expect.stringContaining(`${link(2)} was not shown to the model: it has more than 4,`),
    'Of 12 attachments the model was shown the first 10.',
  ])
})

test('nothing happens where a text names no attachment', async () => {
  expect(await get(`https://example.com/a.png ${server}/octo/demo/issues/1`)).toEqual({ parts: [], notes: [] })
  expect(asked).toEqual([])
})

test('a picture that is named as being on a host for pictures is not fetched from within the network', async () => {
  const { notes } = await get('https://user-images.localhost/a.png', { server: 'https://git.example' })
  expect(notes).toEqual([expect.stringMatching(/not on the public internet|could not be found/)])
})

test.each([
  ['https://github.example/user-attachments/assets/x', true],
  ['https://github.example/octo/demo/assets/12/x', true],
  ['https://github.example/octo/demo/files/12/log.txt', true],
  ['https://github.example/storage/user/1/files/x', true],
  ['https://media.github.example/user/1/files/x', true],
  ['https://user-images.cdn.example/1/x.png', true],
  ['https://private-user-images.cdn.example/1/x.png?jwt=a', true],
  ['http://github.example/user-attachments/assets/x', false],
  ['https://github.example.evil/user-attachments/assets/x', false],
  ['https://evil/user-attachments/assets/x', false],
  ['https://user:pw@github.example/user-attachments/assets/x', false],
  ['https://github.example/octo/demo/blob/main/assets/x', false],
])('%s counts as an attachment: %s', (address, counts) => {
  expect(findAttachments([{ text: `(see ${address}).`, author: 'a' }], 'https://github.example').map(({ link: found }) => found)).toEqual(
    counts ? [address] : [],
  )
})

test('the request comes first, then the description, then the newest comments, each with what holds it', () => {
  const trigger: Trigger = {
    event: 'issue_comment',
    repository: { owner: 'octo', name: 'demo' },
    actor: { login: 'alice', type: 'User' },
    verb: { type: 'prompt', text: 'fix it' },
    subject: { number: 12, isPull: false, title: 'Dates', body: 'body', author: 'bob', locked: false, state: 'open' },
    comment: { id: 9, url: 'https://x/9', body: '/oc fix it', createdAt: '2026-01-01T00:03:00Z' },
  }
  const told = [
    { row: 'subject', id: 12, author: 'bob', at: '2026-01-01T00:00:00Z', text: 'body' },
    { row: 'comment', id: 1, author: 'carol', at: '2026-01-01T00:01:00Z', text: 'old' },
    { row: 'remark', id: 2, author: 'dave', at: '2026-01-01T00:02:00Z', text: 'new' },
  ] as const
  expect(attachmentTexts(trigger, 'fix it', told)).toEqual([
    { text: 'fix it', author: 'alice', holder: { comment: 9 } },
    { text: 'body', author: 'bob', holder: { issue: 12 } },
    { text: 'new', author: 'dave', holder: { reviewComment: 2 } },
    { text: 'old', author: 'carol', holder: { comment: 1 } },
  ])
})
