import { z } from 'zod'

const Entry = z.object({ body: z.object({ service: z.string().optional(), level: z.string().optional(), message: z.string() }) })

/**
 * Stands in for OpenCode's `client`. There is no OpenCode server here to talk to: `client.app.log` writes to the job's log, every other call
 * is rejected with a sentence that says so.
 */
export function clientStub(log: (text: string) => void): unknown {
  const writeLog = async (given: unknown) => {
    const { body } = Entry.parse(given)
    log(`${body.service ?? 'plugin'}: ${body.level ? `${body.level}: ` : ''}${body.message}`)
    return { data: true }
  }
  const at = (path: readonly string[]): unknown =>
    new Proxy(() => undefined, {
      // Whoever awaits a part of the client must get that part, not wait for ever.
      get: (_target, key) => (typeof key === 'symbol' || key === 'then' ? undefined : at([...path, key])),
      async apply(_target, _self, [argument]) {
        const name = path.join('.')
        if (name === 'app.log') return writeLog(argument)
        throw new Error(`client.${name}() does not exist in opencode-action: there is no OpenCode server to ask. Use $ or fetch instead.`)
      },
    })
  return at([])
}
