/**
 * What Node 20 lacks of the language and this action uses; the Node 24 of the runners has it all. Imported first by the entry, for `npm start` runs on a
 * newcomer's own Node.
 */
function give(holder: object, name: string, value: unknown): void {
  if (!(name in holder)) Object.defineProperty(holder, name, { value, configurable: true, writable: true })
}

give(Promise, 'withResolvers', () => {
  let settle: { resolve(value: unknown): void; reject(reason: unknown): void } | undefined
  const promise = new Promise((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...settle }
})

give(Map, 'groupBy', <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K) => {
  const groups = new Map<K, T[]>()
  let index = 0
  for (const item of items) {
    const key = keyOf(item, index)
    index += 1
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
})
