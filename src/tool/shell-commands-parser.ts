import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import type { Parser } from 'web-tree-sitter'

/**
 * The parser for bash as the build puts it beside the bundle: tree-sitter, which a bundler breaks (it looks for its own file), the program it runs,
 * and the grammar.
 */
export const parserAssets = { library: 'tree-sitter.mjs', runtime: 'tree-sitter.wasm.br', grammar: 'bash.wasm.br' } as const

const loaded = new Map<string, Promise<Parser>>()

/** The parser, loaded once from the folder the bundle is in (about 20 ms). */
export function bashParser(assets: string): Promise<Parser> {
  const known = loaded.get(assets)
  if (known) return known
  const parser = load(assets)
  loaded.set(assets, parser)
  return parser
}

async function load(assets: string): Promise<Parser> {
  const unpacked = async (name: string) => new Uint8Array(brotliDecompressSync(await readFile(join(assets, name))))
  const [{ Language, Parser }, runtime, grammar] = await Promise.all([library(assets), unpacked(parserAssets.runtime), unpacked(parserAssets.grammar)])
  await Parser.init({ wasmBinary: runtime })
  return new Parser().setLanguage(await Language.load(grammar))
}

function library(assets: string): Promise<typeof import('web-tree-sitter')> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ pathToFileURL(join(assets, parserAssets.library)).href)
}
