/** What can be hidden in a text, in words for people: one, and several. */
export const kinds = {
  'invisible character': 'invisible characters',
  'HTML comment': 'HTML comments',
  'HTML attribute': 'HTML attributes',
  'hidden element': 'hidden elements',
  'unknown HTML tag': 'unknown HTML tags',
  'image description': 'image descriptions',
  'link title': 'link titles',
  'link without text': 'links without text',
  'link definition': 'link definitions',
  'unused footnote': 'unused footnotes',
  'note on a code block': 'notes on code blocks',
  'table cell too many': 'table cells too many',
  'unreadable mark': 'unreadable marks',
} as const
export type Kind = keyof typeof kinds

/** A stretch of a text, as offsets, and what readers see in its place. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly kind: Kind
  /** Nothing that could be seen differs: only written in another way. */
  readonly isSame?: boolean
}

/** The edits carried out; of those that run into each other the one that begins first, and takes in more, wins. */
export function applied(source: string, edits: readonly Edit[]): { readonly text: string; readonly done: readonly Edit[] } {
  const done: Edit[] = []
  let text = ''
  let at = 0
  for (const edit of [...edits].sort((a, b) => a.from - b.from || b.to - a.to)) {
    if (edit.from < at) continue
    text += source.slice(at, edit.from) + edit.text
    at = edit.to
    done.push(edit)
  }
  return { text: text + source.slice(at), done }
}
