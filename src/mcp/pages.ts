/** Pages of a list that are asked for at the most: a server may hand out cursors for ever. */
const MAX_PAGES = 50

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string | undefined
}

/** All items of a list that comes in pages. */
export async function everyPage<Item>(ask: (params: { cursor?: string }) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask(cursor === undefined ? {} : { cursor })
    items.push(...answer.items)
    cursor = answer.nextCursor
    if (!cursor) break
  }
  return items
}
