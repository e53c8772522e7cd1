/**
 * Whether a text fits a pattern of the permission rules (the engine's description 4.6): `*` stands for any characters, `/` and line breaks
 * included, `?` for one; everything else is literal and case counts. Backslashes are slashes on both sides. The whole text must fit, but
 * the ` *` a pattern ends with may be missing from it: `ls *` fits `ls`.
 */
export function matchesWildcard(text: string, pattern: string): boolean {
  const wanted = slashed(pattern)
  const given = [...slashed(text)]
  return fits(given, [...wanted]) || (wanted.endsWith(' *') && fits(given, [...wanted.slice(0, -2)]))
}

function slashed(text: string): string {
  return text.replaceAll('\\', '/')
}

/** Steps back to the last `*` only, so a command of the model's making cannot keep the match busy for long. */
function fits(text: readonly string[], pattern: readonly string[]): boolean {
  let at = 0
  let place = 0
  let star: { readonly place: number; at: number } | undefined
  while (at < text.length) {
    if (pattern[place] === '*') {
      star = { place, at }
      place += 1
    } else if (place < pattern.length && (pattern[place] === '?' || pattern[place] === text[at])) {
      at += 1
      place += 1
    } else if (star) {
      star.at += 1
      at = star.at
      place = star.place + 1
    } else {
      return false
    }
  }
  return pattern.slice(place).every((rest) => rest === '*')
}
