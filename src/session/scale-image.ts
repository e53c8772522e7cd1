import { base64Length, type Image, type ImageLimits, type ImageScaler, sizeOf, withoutScaling } from './images.ts'

/** How often an image that is still too heavy is made smaller, and by how much (the engine's description 2.2). */
const shrinks = 32
const factor = 0.75
/** Qualities of JPEG that are tried before an image is made smaller. */
const qualities = [80, 85, 70, 55, 40]
/** Pixels of the largest image that is unpacked: four bytes each in memory, so that no picture takes the runner's. */
const maxPixels = 60_000_000
const formats = new Set(['image/png', 'image/jpeg'])

/**
 * Brings a PNG or JPEG within the limits: to the longest side allowed, then as PNG, else as JPEG of falling quality, else smaller and smaller. Other
 * kinds pass when they are within the limits already. Undefined when it cannot be done: an image that is damaged, too large to unpack, or of
 * another kind.
 */
export const scaleImage: ImageScaler = async (image, max) => {
  const asItIs = await withoutScaling(image, max)
  if (asItIs) return asItIs
  const size = sizeOf(image.data)
  if (!size || !formats.has(image.mime) || size.width * size.height > maxPixels) return undefined
  try {
    return await shrink(image, size, max)
  } catch {
    // Damaged data: for the caller the same as an image that can't be made to fit.
    return undefined
  }
}

async function shrink(image: Image, size: { width: number; height: number }, max: ImageLimits): Promise<Image | undefined> {
  const { createJimp, jpeg, png, resize, ResizeStrategy } = await import('./jimp.ts')
  const Picture = createJimp({ formats: [png, jpeg], plugins: [resize] })
  const original = await Picture.fromBuffer(image.data)
  let scale = Math.min(1, max.side / Math.max(size.width, size.height))
  for (let round = 0; round < shrinks; round++, scale *= factor) {
    const w = Math.max(1, Math.round(size.width * scale))
    const h = Math.max(1, Math.round(size.height * scale))
    const picture = scale === 1 ? original : original.clone().resize({ w, h, mode: ResizeStrategy.BICUBIC })
    const asPng = { mime: 'image/png', data: await picture.getBuffer('image/png') }
    if (fits(asPng, max)) return asPng
    for (const quality of qualities) {
      const asJpeg = { mime: 'image/jpeg', data: await picture.getBuffer('image/jpeg', { quality }) }
      if (fits(asJpeg, max)) return asJpeg
    }
  }
  return undefined
}

function fits({ data }: Image, { base64 }: ImageLimits): boolean {
  return base64Length(data) <= base64
}
