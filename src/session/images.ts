/** What a model is given of an image at the most: pixels a side, and characters of base64 (the engine's description 2.2). */
export interface ImageLimits {
  readonly side: number
  readonly base64: number
}

export const imageLimits: ImageLimits = { side: 2_000, base64: 5 * 1024 * 1024 }

export interface Image {
  readonly mime: string
  readonly data: Buffer
}

/** Brings an image within the limits; undefined when that cannot be done. */
export type ImageScaler = (image: Image, max: ImageLimits) => Promise<Image | undefined>

/** Lets images pass that are within the limits, and gives up on others. An image of unknown make is judged by its bytes alone. */
export const withoutScaling: ImageScaler = async (image, max) => {
  const size = sizeOf(image.data)
  const fits = base64Length(image.data) <= max.base64 && (size === undefined || Math.max(size.width, size.height) <= max.side)
  return fits ? image : undefined
}

/** Characters of the base64 text of some bytes. */
export const base64Length = (data: Buffer): number => Math.ceil(data.length / 3) * 4

interface Size {
  readonly width: number
  readonly height: number
}

/** Pixels of a PNG, GIF, JPEG or WebP, read from its first bytes; undefined for anything else and for damaged ones. */
export function sizeOf(data: Buffer): Size | undefined {
  const has = (text: string, at: number) => data.toString('latin1', at, at + text.length) === text
  if (has('\x89PNG\r\n', 0) && data.length >= 24) return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) }
  if (has('GIF8', 0) && data.length >= 10) return { width: data.readUInt16LE(6), height: data.readUInt16LE(8) }
  if (has('RIFF', 0) && has('WEBP', 8) && data.length >= 30) return webpSize(data, data.toString('latin1', 12, 16))
  return data.length > 4 && data.readUInt16BE(0) === 0xffd8 ? jpegSize(data) : undefined
}

function webpSize(data: Buffer, kind: string): Size | undefined {
  if (kind === 'VP8X') return { width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 }
  if (kind === 'VP8 ') return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff }
  if (kind !== 'VP8L') return undefined
  const bits = data.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** A JPEG's size stands in its frame header, behind any number of other segments. */
function jpegSize(data: Buffer): Size | undefined {
  for (let at = 2; at + 9 < data.length && data[at] === 0xff; at += 2 + data.readUInt16BE(at + 2)) {
    const marker = data[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) }
  }
  return undefined
}
