import type { Part } from '../session/message.ts'
import type { Sink } from '../session/ports.ts'
import type { Log } from './log.ts'

/** Tells the log what happens in a session: each tool call as one line, texts whole, retries and errors as they come. */
export function listen(log: Log): Sink {
  return (event) => {
    switch (event.type) {
      case 'part':
        tellPart(log, event.part)
        break
      case 'status':
        if (event.status.type === 'retry') log.warning(`The model did not answer (attempt ${event.status.attempt}): ${event.status.message}`)
        break
      case 'error':
        log.info(`${event.error.name}: ${event.error.message}`)
        break
    }
  }
}

function tellPart(log: Log, part: Part): void {
  if (part.type === 'tool' && part.state.status === 'completed') log.info(`${part.tool}: ${part.state.title}`)
  if (part.type === 'tool' && part.state.status === 'error') log.info(`${part.tool} failed: ${part.state.error}`)
  if (part.type === 'text' && !part.synthetic && part.time?.end !== undefined) log.info(part.text)
}
