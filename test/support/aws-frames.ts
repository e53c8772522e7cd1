import { crc32 } from 'node:zlib'

/** One frame of an AWS event stream: an event of that name with a JSON payload. */
export function awsFrame(name: string, payload: unknown, kind: 'event' | 'exception' = 'event'): Uint8Array {
  const headers = Buffer.concat([
    header(':message-type', kind),
    header(kind === 'event' ? ':event-type' : ':exception-type', name),
    header(':content-type', 'application/json'),
  ])
  const body = Buffer.from(JSON.stringify(payload))
  const frame = Buffer.alloc(16 + headers.length + body.length)
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(headers.length, 4)
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8)
  headers.copy(frame, 12)
  body.copy(frame, 12 + headers.length)
  frame.writeUInt32BE(crc32(frame.subarray(0, frame.length - 4)), frame.length - 4)
  return frame
}

/** Name and value of a header, both text. */
function header(name: string, value: string): Buffer {
  const before = Buffer.from([name.length, ...Buffer.from(name), 7, 0, 0])
  before.writeUInt16BE(Buffer.byteLength(value), before.length - 2)
  return Buffer.concat([before, Buffer.from(value)])
}

export const awsHeaders = { 'content-type': 'application/vnd.amazon.eventstream' } as const
