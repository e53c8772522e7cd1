import { expect, test } from 'vitest'
import { readableContent, readableResource } from '../../src/mcp/content.ts'

const png = Buffer.from('89504e470d0a1a0a', 'hex')
const pdf = Buffer.from('%PDF-1.7')

test('texts are joined by blank lines', () => {
  expect(
    readableContent([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]).text,
  ).toBe('a\n\nb')
})

test('C40: an attachment has the type its bytes have, whatever the server calls it', () => {
  expect(readableContent([{ type: 'image', data: png.toString('base64'), mimeType: 'image/jpeg' }]).attachments).toEqual([
    { type: 'file', mime: 'image/png', url: `data:image/png;base64,${png.toString('base64')}`, filename: 'image' },
  ])
  expect(readableContent([{ type: 'image', data: Buffer.from('<svg/>').toString('base64'), mimeType: 'image/png' }])).toEqual({
    text: '[image (image/png, 6 bytes) is left out: it is no image or PDF]',
    attachments: [],
  })
})

test('binary resources are attached when they are images or PDFs of a size a model can be given', () => {
  expect(readableResource([{ uri: 'a:b.pdf', blob: pdf.toString('base64') }]).attachments).toMatchObject([{ mime: 'application/pdf', filename: 'a:b.pdf' }])
  const huge = Buffer.concat([pdf, Buffer.alloc(10 * 1024 * 1024)])
  expect(readableResource([{ uri: 'a:b.pdf', blob: huge.toString('base64') }])).toEqual({
    text: `[a:b.pdf (application/pdf) is left out: it has ${huge.length} bytes, more than 10000000]`,
    attachments: [],
  })
})

test('what is not known leaves a note, and what is no content too', () => {
  expect(readableContent([{ type: 'audio', data: '', mimeType: 'audio/wav' }, 5]).text).toBe(
    '[A content of type audio is left out: it cannot be shown to a model]\n\n[A content of type unknown is left out: it cannot be shown to a model]',
  )
})
