/** How many lines a change takes away and brings, counted over the span between the first and the last line that differ. */
export function lineCounts(before: string, after: string): { additions: number; deletions: number } {
  const old = pieces(before)
  const next = pieces(after)
  let first = 0
  while (first < old.length && first < next.length && old[first] === next[first]) first += 1
  let last = 0
  while (last < old.length - first && last < next.length - first && old.at(-1 - last) === next.at(-1 - last)) last += 1
  return { additions: next.length - first - last, deletions: old.length - first - last }
}

/** Lines with their ends: a missing end of the last line is a difference. */
function pieces(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
