import { expect, test } from 'vitest'
import { imageLimits, sizeOf } from '../../src/session/images.ts'
import { createJimp, jpeg, png, resize } from '../../src/session/jimp.ts'
import { scaleImage } from '../../src/session/scale-image.ts'

const Picture = createJimp({ formats: [png, jpeg], plugins: [resize] })

/** A picture of noise, which hardly compresses; the same at every run. */
async function noise(width: number, height: number, mime: 'image/png' | 'image/jpeg') {
  const picture = new Picture({ width, height })
  let state = 1
  for (let at = 0; at < picture.bitmap.data.length; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    picture.bitmap.data[at] = at % 4 === 3 ? 255 : state >> 16
  }
  return { mime, data: await picture.getBuffer(mime) }
}

test('an image within the limits stays as it is, byte for byte', async () => {
  const small = await noise(20, 10, 'image/png')
  expect(await scaleImage(small, imageLimits)).toBe(small)
})

test.each(['image/png', 'image/jpeg'] as const)('a wide %s is brought to the longest side allowed, its proportions kept', async (mime) => {
  const scaled = await scaleImage(await noise(300, 100, mime), { side: 150, base64: 1_000_000 })
  expect(scaled && sizeOf(scaled.data)).toEqual({ width: 150, height: 50 })
})

test('a heavy image becomes a JPEG, then a smaller one, until it fits', async () => {
  const heavy = await noise(200, 200, 'image/png')
  const lighter = await scaleImage(heavy, { side: 2_000, base64: 60_000 })
  expect(lighter?.mime).toBe('image/jpeg')
  expect(lighter && sizeOf(lighter.data)).toEqual({ width: 200, height: 200 })
  const smaller = await scaleImage(heavy, { side: 2_000, base64: 6_000 })
  expect(smaller && (sizeOf(smaller.data)?.width ?? 0)).toBeLessThan(200)
  expect(smaller?.data.toString('base64').length).toBeLessThanOrEqual(6_000)
})

test('what can not be scaled is given up: damaged, of another kind, or too large to unpack', async () => {
  const { data } = await noise(300, 100, 'image/png')
  expect(await scaleImage({ mime: 'image/png', data: data.subarray(0, 200) }, { side: 100, base64: 1_000_000 })).toBeUndefined()
  const gif = Buffer.from('GIF89a\xb8\x0b\xb8\x0b', 'latin1')
  expect(await scaleImage({ mime: 'image/gif', data: gif }, imageLimits)).toBeUndefined()
  const header = Buffer.from(data)
  header.writeUInt32BE(100_000, 16)
  header.writeUInt32BE(100_000, 20)
  expect(await scaleImage({ mime: 'image/png', data: header }, imageLimits)).toBeUndefined()
})
