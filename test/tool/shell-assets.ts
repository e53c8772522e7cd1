import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { afterAll, beforeAll } from 'vitest'
import { parserAssets } from '../../src/tool/shell-commands-parser.ts'

/** A folder with the parser's files as the build makes them, for the tests of one file. */
export function shellAssets(): { readonly folder: string } {
  const holder = { folder: '' }
  beforeAll(() => {
    holder.folder = mkdtempSync(join(tmpdir(), 'assets-'))
    const require = createRequire(import.meta.url)
    const packed = (file: string) => brotliCompressSync(readFileSync(file), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
    const library = readFileSync(join(dirname(require.resolve('web-tree-sitter/web-tree-sitter.wasm')), 'web-tree-sitter.js'), 'utf8')
    writeFileSync(join(holder.folder, parserAssets.library), library.replace(/\/\/# sourceMappingURL=.*/, ''))
    writeFileSync(join(holder.folder, parserAssets.runtime), packed(require.resolve('web-tree-sitter/web-tree-sitter.wasm')))
    writeFileSync(join(holder.folder, parserAssets.grammar), packed(join(dirname(require.resolve('tree-sitter-bash/package.json')), 'tree-sitter-bash.wasm')))
  })
  afterAll(() => rmSync(holder.folder, { recursive: true, force: true }))
  return holder
}
