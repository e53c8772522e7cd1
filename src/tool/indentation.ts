/**
 * The new lines for a block that was found although the model's old lines differ from the file's in white space. Lines the model did not
 * change are the file's own, byte for byte; the others get the file's indentation. `undefined` when it cannot be told which (C67).
 */
export function carryOver(file: readonly string[], old: readonly string[], next: readonly string[]): string[] | undefined {
  const same = (fileLine: string | undefined, oldLine: string | undefined) =>
    fileLine !== undefined && oldLine !== undefined && squeezed(fileLine) === squeezed(oldLine)
  const most = Math.min(old.length, next.length, file.length)
  let first = 0
  while (first < most && old[first] === next[first] && same(file[first], old[first])) first += 1
  let last = 0
  while (last < most - first && old.at(-1 - last) === next.at(-1 - last) && same(file.at(-1 - last), old.at(-1 - last))) last += 1

  const shift = shifts(file, old, same)
  const middle: string[] = []
  for (const line of next.slice(first, next.length - last)) {
    const moved = shift(line)
    if (moved === undefined) return undefined
    middle.push(moved)
  }
  return [...file.slice(0, first), ...middle, ...file.slice(file.length - last)]
}

/** Runs of white space as one blank: what two lines share that differ in white space only. */
export function squeezed(line: string): string {
  return line.trim().replaceAll(/\s+/g, ' ')
}

/** The white space a line begins with. */
export const indentOf = (line: string) => /^[ \t]*/.exec(line)?.[0] ?? ''

/** Learns from lines that belong together which indentation of the model stands for which of the file. */
function shifts(file: readonly string[], old: readonly string[], same: (fileLine: string | undefined, oldLine: string | undefined) => boolean) {
  const known = new Map<string, Set<string>>()
  old.forEach((line, index) => {
    // Counted from the nearer end, since a block may be longer or shorter than the model remembered it.
    const fileLine = file[index * 2 < old.length ? index : file.length - old.length + index]
    if (line.trim() === '' || fileLine === undefined || !same(fileLine, line)) return
    known.set(indentOf(line), (known.get(indentOf(line)) ?? new Set<string>()).add(indentOf(fileLine)))
  })
  const straight = [...known].every(([from, to]) => to.size === 1 && to.has(from))

  return (line: string): string | undefined => {
    const indent = indentOf(line)
    if (straight || line.trim() === '') return line
    const rest = line.slice(indent.length)
    const [nearest] = [...known.keys()].filter((from) => indent.startsWith(from)).sort((a, b) => b.length - a.length)
    if (nearest !== undefined) {
      const to = onlyOf(known.get(nearest))
      return to === undefined ? undefined : to + indent.slice(nearest.length) + rest
    }
    const [deeper] = [...known.keys()].filter((from) => from.startsWith(indent)).sort((a, b) => a.length - b.length)
    const to = deeper === undefined ? undefined : onlyOf(known.get(deeper))
    const removed = deeper?.slice(indent.length) ?? ''
    return to?.endsWith(removed) ? to.slice(0, to.length - removed.length) + rest : undefined
  }
}

function onlyOf(values: ReadonlySet<string> | undefined): string | undefined {
  return values?.size === 1 ? [...values][0] : undefined
}
