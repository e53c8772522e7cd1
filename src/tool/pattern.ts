import picomatch from 'picomatch'

/** A file name pattern: dot files match like others, braces work (C76). `anywhere`: for names at any depth. */
export function matcherOf(pattern: string, { anywhere }: { anywhere: boolean }): (path: string) => boolean {
  return picomatch(pattern.replace(/^(\.\/)+/, ''), { dot: true, nonegate: true, basename: anywhere })
}

/** Splits a pattern into the folder it starts with and the rest: `src/app/*.ts` into `src/app` and `*.ts`. The rest of a plain path is empty. */
export function splitPattern(pattern: string): { base: string; rest: string } {
  const { base, glob } = picomatch.scan(pattern)
  return { base, rest: glob }
}
