/** The body of an HTTP answer as text; undefined when it is longer than `max` bytes, of which no more are read. */
export async function textUpTo(response: Response, max: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > max) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
