/**
 * Characters that take no place on the page, or that reorder what does (C142): everything Unicode says to ignore where it can't be drawn, format and
 * control characters, fillers, the blank of Braille. Those few that are text stay: signs in Arabic and its like that count as format characters, joiners
 * between letters whose script needs them, joiners and the style selector of emoji.
 */
const unseen = String.raw`[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]`
const drawn = String.raw`[\t\n\r\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]`
const joined = String.raw`[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Mong}]`
const emojiEnd = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?`
const text = [
  String.raw`(?<=${joined})[\u200C\u200D](?=${joined})`,
  String.raw`(?<=${emojiEnd})\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Emoji})[\uFE0E\uFE0F]`,
].join('|')
const invisible = new RegExp(`(?!${drawn}|${text})${unseen}`, 'gu')

/** References, as HTML has them, to characters of this kind and to spaces without width. */
const named = new Set(
  'zwj zwnj lrm rlm shy ZeroWidthSpace NegativeThinSpace NegativeMediumSpace NegativeThickSpace NegativeVeryThinSpace NoBreak ApplyFunction af InvisibleComma ic InvisibleTimes it'.split(
    ' ',
  ),
)
const reference = /&(?:#[xX]([\da-fA-F]{1,8})|#(\d{1,8})|([a-zA-Z]{2,22}));/g

/** A text without invisible characters, and how many it had. */
export function withoutInvisible(source: string): { readonly text: string; readonly removed: number } {
  let removed = 0
  const shown = source.replaceAll(invisible, () => {
    removed += 1
    return ''
  })
  return { text: shown, removed }
}

/** Where a text has references to invisible characters, as offsets. */
export function invisibleReferences(source: string): { readonly from: number; readonly to: number }[] {
  if (!source.includes('&')) return []
  return [...source.matchAll(reference)].flatMap((match) => {
    const [whole, hex, decimal, name = ''] = match
    const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal)
    const isUnseen = named.has(name) || (code > 0 && code <= 0x10ffff && withoutInvisible(String.fromCodePoint(code)).text === '')
    return isUnseen ? [{ from: match.index, to: match.index + whole.length }] : []
  })
}
