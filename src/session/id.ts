import { randomBytes } from 'node:crypto'

type Prefix = 'ses' | 'msg' | 'prt' | 'call'

let last = 0
let counter = 0

/** A new id that sorts after every id made before it: prefix, milliseconds and a counter in hex, then random characters. */
export function ascending(prefix: Prefix, now: number = Date.now()): string {
  const time = Math.max(now, last)
  counter = time === last ? counter + 1 : 0
  last = time
  return `${prefix}_${time.toString(16).padStart(12, '0')}${counter.toString(16).padStart(4, '0')}${randomBytes(5).toString('hex')}`
}
