import type { Tree, TreeFile } from '../../src/workspace/types.ts'

/** A tree held in memory, and how often it was asked. A number stands for a file of that many bytes that is too large to be read. */
export function fakeTree(files: Readonly<Record<string, string | number>>): Tree & { readonly asked: { lists: number; reads: number } } {
  const asked = { lists: 0, reads: 0 }
  const paths = Object.keys(files).sort()
  return {
    asked,
    commit: '1'.repeat(40),
    async list(wanted) {
      asked.lists += 1
      return paths.filter((path) => wanted === undefined || wanted.some((at) => path === at || path.startsWith(`${at}/`)))
    },
    async read(wanted) {
      if (wanted.length > 0) asked.reads += 1
      return new Map(
        wanted.flatMap((path): [string, TreeFile][] => {
          const file = Object.hasOwn(files, path) ? files[path] : undefined
          if (file === undefined) return []
          return [[path, typeof file === 'number' ? { size: file } : { size: file.length, bytes: Buffer.from(file) }]]
        }),
      )
    },
  }
}
