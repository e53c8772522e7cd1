/** Files that are handed to the model as they are, by their first bytes, and the sizes providers take. */
const kinds: readonly { mime: string; max: number; is(bytes: Buffer): boolean }[] = [
  { mime: 'image/png', max: 3_500_000, is: (bytes) => bytes.subarray(0, 8).toString('hex') === '89504e470d0a1a0a' },
  { mime: 'image/jpeg', max: 3_500_000, is: (bytes) => bytes.subarray(0, 3).toString('hex') === 'ffd8ff' },
  { mime: 'image/gif', max: 3_500_000, is: (bytes) => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6)) },
  { mime: 'image/webp', max: 3_500_000, is: (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP' },
  { mime: 'application/pdf', max: 10_000_000, is: (bytes) => bytes.toString('latin1', 0, 5) === '%PDF-' },
]

/** The media type of an image or PDF and how many bytes of it a model can be given; `undefined` for anything else. */
export function mediaOf(bytes: Buffer): { readonly mime: string; readonly max: number } | undefined {
  return kinds.find(({ is }) => is(bytes))
}
