/**
 * What leaves no trace on a screen: zero-width spaces, marks and overrides of the writing direction, invisible operators, and tags. The joiners of
 * emoji and of Persian or Indic words are text and stay, as does the variation selector.
 */
const invisible = /[\u00AD\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E0FFF}]/gu

/** A text without characters that nobody who read it could have seen (C142), with plain line ends and without blanks at its end. */
export function visibleOnly(text: string): { readonly text: string; readonly removed: number } {
  let removed = 0
  const shown = text.replaceAll(invisible, () => {
    removed += 1
    return ''
  })
  return { text: shown.replaceAll('\r\n', '\n').trimEnd(), removed }
}
