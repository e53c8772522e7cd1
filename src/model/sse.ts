/** One server-sent event: its name, where it has one, and its data lines joined. */
export interface ServerEvent {
  readonly name?: string
  readonly data: string
}

/**
 * Takes an event stream apart as the HTML standard describes it, whatever pieces it arrives in (C154), but for two points:
 * comments and events without data are dropped here, and a last event without its blank line counts.
 */
export class EventParser {
  #rest = ''
  #name: string | undefined
  #data: string[] = []

  /** The events that this piece of text completes. */
  push(text: string): ServerEvent[] {
    this.#rest += text
    const events: ServerEvent[] = []
    for (let line = this.#line(); line !== undefined; line = this.#line()) {
      if (line === '') events.push(...this.#flush())
      else this.#field(line)
    }
    return events
  }

  /** What was left when the stream ended. */
  end(): ServerEvent[] {
    if (this.#rest !== '') this.#field(this.#rest.replace(/\r$/, ''))
    this.#rest = ''
    return this.#flush()
  }

  #line(): string | undefined {
    const end = this.#rest.search(/[\r\n]/)
    // A return at the very end may be half of a line end; the other half decides.
    if (end === -1 || (this.#rest[end] === '\r' && end === this.#rest.length - 1)) return undefined
    const line = this.#rest.slice(0, end)
    this.#rest = this.#rest.slice(this.#rest.startsWith('\r\n', end) ? end + 2 : end + 1)
    return line
  }

  #field(line: string): void {
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#name = value
  }

  #flush(): ServerEvent[] {
    const data = this.#data.join('\n')
    const name = this.#name
    this.#data = []
    this.#name = undefined
    return data === '' ? [] : [name ? { name, data } : { data }]
  }
}

/** The bytes' text of an event, in the plainest form. */
export function encodeEvent({ name, data }: ServerEvent): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`)
  return `${name ? `event: ${name}\n` : ''}${lines.join('')}\n`
}
