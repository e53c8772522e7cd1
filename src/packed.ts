import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { z } from 'zod'

const Files = z.record(z.string(), z.string())

/**
 * Unpacks a program that few runs need and that therefore travels compressed in the bundle (the demo, the plugin host; `scripts/build.ts` packs
 * them). Returns the path of its entry in `folder`, which is created.
 */
export function unpack(packed: string, folder: string): string {
  const files = Files.parse(JSON.parse(brotliDecompressSync(readFileSync(packed)).toString()))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 })
  return join(folder, 'index.js')
}
