import { Failure, messageOf } from '../failure.ts'
import type { Network } from '../tool/net/address.ts'
import type { Page } from '../tool/net/get.ts'
import { isOwnHost } from './attachments-find.ts'

/** GitHub as it is reached for attachments. */
export interface Server {
  /** Its address, such as `https://github.com`. */
  readonly url: string
  readonly token: string
}

export interface Download {
  readonly bytes: Buffer
  /** As the server calls it, without parameters; often wrong (C40). */
  readonly type: string
  /** The last part of the address where it was found. */
  readonly name: string
}

interface Options {
  readonly server: Server
  readonly maxBytes: number
  /** For everything together, in ms. */
  readonly timeout: number
  readonly signal: AbortSignal
  /** Which places of the network may be reached besides the server. Only tests say anything but the public internet. */
  readonly network?: Network | undefined
}

const mostHops = 5
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** A redirect, which is followed by hand: the token must not go along, and the server's own addresses are not the internet's. */
class Moved extends Error {
  readonly to: URL

  constructor(to: URL) {
    super('moved')
    this.to = to
  }
}

/** Why an attachment could not be had, as the end of a sentence. */
export class NotHad extends Failure {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, 'Open the link in a browser.', options)
  }
}

/**
 * Downloads an attachment. The token is sent to the server's own origin and nowhere else (C41); the server and the hosts below it may be anywhere,
 * others must be on the public internet; where the server is on this machine, which only an emulated one is, so may be the others. Nothing but https is spoken, unless
 * the server itself speaks something else. Throws `NotHad`, without the address, for a signed one is a key for some minutes; or the reason of the signal.
 */
export async function download(address: string, options: Options): Promise<Download> {
  const { getPage } = await import('../tool/net/get.ts')
  const { server, maxBytes, signal } = options
  const own = new URL(server.url)
  const clock = AbortSignal.timeout(options.timeout)
  let url = new URL(address)
  for (let hop = 0; hop <= mostHops; hop += 1) {
    if (url.protocol !== 'https:' && !(url.protocol === own.protocol && (isOwnHost(url, own) || isEmulated(own))))
      throw new NotHad('it would have to be sent without encryption')
    try {
      const page = await getPage(url.href, {
        network: await networkFor(url, own, options.network),
        headers: { accept: '*/*', 'user-agent': 'opencode-action', ...(url.origin === own.origin && { authorization: `Bearer ${server.token}` }) },
        timeout: options.timeout,
        maxBytes,
        signal: AbortSignal.any([signal, clock]),
        visit: (to) => {
          throw new Moved(to)
        },
      })
      if (page.status < 200 || page.status > 299) throw new NotHad(`the server answered ${page.status}`)
      return { bytes: page.bytes, type: typeOf(page), name: nameOf(page.url) }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (clock.aborted) throw new NotHad(`it was not received within ${options.timeout / 1_000} s`)
      if (error instanceof NotHad) throw error
      if (!(error instanceof Moved)) throw new NotHad(reasonOf(error, url, maxBytes), { cause: error })
      url = error.to
    }
  }
  throw new NotHad('it leads from one address to the next without end')
}

/** An emulated server, as tests and the tour have. */
const isEmulated = (own: URL): boolean => loopback.test(own.hostname)

async function networkFor(url: URL, own: URL, given: Network | undefined): Promise<Network> {
  const { publicNetwork } = await import('../tool/net/address.ts')
  const internet = given ?? (await publicNetwork())
  if (isOwnHost(url, own)) return { ...internet, permits: () => true }
  if (!isEmulated(own)) return internet
  return { ...internet, permits: (ip) => internet.permits(ip) || ip === '::1' || ip.startsWith('127.') || ip.startsWith('::ffff:127.') }
}

function typeOf({ headers }: Page): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

function nameOf({ pathname }: URL): string {
  const last = pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    // A per cent sign that encodes nothing: as it is written.
    return last
  }
}

/** The words of the download, without the address. */
function reasonOf(error: unknown, url: URL, maxBytes: number): string {
  const message = messageOf(error)
  if (message.includes('has more than')) return `it has more than ${maxBytes.toLocaleString('en')} bytes`
  return message
    .replaceAll(url.href, 'its address')
    .replaceAll(/\?[^\s"']+/g, '')
    .replace(/\.$/, '')
}
