import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { imageLimits, sizeOf, withoutScaling } from '../../src/session/images.ts'

const bytes = (hex: string, length = 64) => Buffer.concat([Buffer.from(hex.replaceAll(' ', ''), 'hex'), Buffer.alloc(length)])
const ascii = (text: string) => Buffer.from(text, 'latin1').toString('hex')

describe('the size of an image', () => {
  test.each([
    ['a PNG', bytes('89504e470d0a1a0a 0000000d 49484452 00000320 00000258'), { width: 800, height: 600 }],
    ['a GIF', bytes(`${ascii('GIF89a')} 2003 5802`), { width: 800, height: 600 }],
    ['a JPEG', bytes('ffd8 ffe0 0010 4a46494600010100000100010000 ffc0 0011 08 0258 0320 03'), { width: 800, height: 600 }],
    ['a progressive JPEG behind tables', bytes('ffd8 ffdb 0004 0000 ffc4 0004 0000 ffc2 0011 08 0258 0320 03'), { width: 800, height: 600 }],
    ['a lossy WebP', bytes(`${ascii('RIFF')} 00000000 ${ascii('WEBPVP8 ')} 00000000 000000 9d012a 2003 5802`), { width: 800, height: 600 }],
    ['a lossless WebP', bytes(`${ascii('RIFF')} 00000000 ${ascii('WEBPVP8L')} 00000000 2f 1fc39500`), { width: 800, height: 600 }],
    ['an extended WebP', bytes(`${ascii('RIFF')} 00000000 ${ascii('WEBPVP8X')} 0a000000 00000000 1f0300 570200`), { width: 800, height: 600 }],
  ])('is read from %s', (_, data, size) => {
    expect(sizeOf(data)).toEqual(size)
  })

  test('is unknown for other data, cut off or damaged ones included, and never a crash', () => {
    const starts = ['', '89504e470d0a1a0a', 'ffd8ff', ascii('GIF89a'), `${ascii('RIFF')}00000000${ascii('WEBP')}`]
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 40 }), (start, rest) => {
        const size = sizeOf(Buffer.concat([Buffer.from(start, 'hex'), rest]))
        expect(size === undefined || (size.width >= 0 && size.height >= 0)).toBe(true)
      }),
    )
    expect(sizeOf(Buffer.from('no image'))).toBeUndefined()
    expect(sizeOf(bytes('ffd8 ffe0', 0))).toBeUndefined()
  })
})

test('without a scaler an image of unknown make passes by its weight alone', async () => {
  const light = { mime: 'image/bmp', data: Buffer.alloc(10) }
  expect(await withoutScaling(light, imageLimits)).toBe(light)
  expect(await withoutScaling({ mime: 'image/bmp', data: Buffer.alloc(5_000_000) }, imageLimits)).toBeUndefined()
})
