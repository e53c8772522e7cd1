import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { messageOf } from '../../failure.ts'
import { ToolError } from '../errors.ts'
import type { Address, Network } from './address.ts'

export interface GetOptions {
  readonly network: Network
  readonly headers: Readonly<Record<string, string>>
  /** For everything together, redirects and body included, in ms. */
  readonly timeout: number
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** Asked before every redirect is followed; throws when the target may not be visited. */
  readonly visit?: (url: URL) => void
}

export interface Page {
  /** Where the page was found, after redirects. */
  readonly url: URL
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly bytes: Buffer
}

const maxRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])

/**
 * Gets a page from the public internet. Its address is resolved once, checked, and connected to as resolved, so that no second answer of the
 * name server leads elsewhere; that holds for every redirect. Throws `ToolError`, or the reason of the caller's signal.
 */
export async function getPage(address: string, options: GetOptions): Promise<Page> {
  const clock = AbortSignal.timeout(options.timeout)
  const signal = AbortSignal.any([options.signal, clock])
  try {
    return await follow(address, { ...options, signal })
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    if (clock.aborted)
      throw new ToolError(`${address} was not received within ${options.timeout / 1_000} s.`, 'Try again with a larger timeout, or another page.')
    throw error
  }
}

async function follow(start: string, options: GetOptions): Promise<Page> {
  let url = checked(start)
  for (let hops = 0; ; hops += 1) {
    const response = await connect(url, options)
    const status = response.statusCode ?? 0
    const target = redirects.has(status) ? response.headers.location : undefined
    if (target === undefined) return { url, status, headers: response.headers, bytes: await bodyOf(url, response, options) }
    response.destroy()
    if (hops === maxRedirects) throw new ToolError(`${start} redirects more than ${maxRedirects} times.`, 'Use the address it is meant to lead to.')
    url = checked(target, url)
    options.visit?.(url)
  }
}

function checked(text: string, base?: URL): URL {
  const from = base ? `${base.href} redirects to ${text}, which` : text
  if (!URL.canParse(text, base?.href)) throw new ToolError(`${from} is not a URL.`, 'Give a whole address that starts with https:// or http://.')
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new ToolError(`${from} is not an http or https address.`, 'Only web pages can be fetched.')
  if (url.username !== '' || url.password !== '') throw new ToolError(`${from} holds a user name or password.`, 'Leave them out of the address.')
  return url
}

async function connect(url: URL, { network, headers, signal }: GetOptions): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = await orAbort(network.resolve(host), signal).catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new ToolError(`${host} could not be found: ${messageOf(error)}.`, 'Check the address.', { cause: error })
  })
  if (addresses.length === 0) throw new ToolError(`${host} has no address.`, 'Check the address.')
  for (const { address } of addresses) if (!network.permits(address)) throw notPublic(url, address)

  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    // A connection of its own: one that is kept open was checked for another page.
    agent: false,
    headers: { ...headers, 'accept-encoding': 'br, gzip, deflate' },
    lookup: pinned(addresses),
    signal,
  })
  request.on('response', resolve)
  request.on('error', (error) => {
    if (signal.aborted || error instanceof ToolError) return reject(error)
    reject(new ToolError(`${url.href} could not be reached: ${messageOf(error)}.`, 'Check the address, or try another page.', { cause: error }))
  })
  request.on('socket', (socket) => {
    // Runs before anything is sent.
    socket.once('connect', () => {
      const address = socket.remoteAddress ?? 'an unknown address'
      if (!network.permits(address)) socket.destroy(notPublic(url, address))
    })
  })
  request.end()
  return promise
}

/** Answers with the addresses that were checked, whatever the name server says by now. */
function pinned(addresses: readonly Address[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses
    if (all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}

function notPublic(url: URL, address: string): ToolError {
  const where = url.hostname.replace(/^\[|\]$/g, '') === address ? '' : ` (${url.hostname} is ${address})`
  return new ToolError(
    `${url.href} is not on the public internet${where}, and pages of this machine, its network or its cloud are not fetched.`,
    'Use a public address; for a server you started yourself use curl through bash.',
  )
}

async function bodyOf(url: URL, response: IncomingMessage, { maxBytes, signal }: GetOptions): Promise<Buffer> {
  const tooLarge = () => new ToolError(`${url.href} has more than ${maxBytes} bytes.`, 'Fetch a smaller page, or download the file with curl through bash.')
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    response.destroy()
    throw tooLarge()
  }
  const chunks: Buffer[] = []
  let size = 0
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge()
      chunks.push(chunk)
    }
  }
  const decoder = decoderOf(response.headers['content-encoding'])
  try {
    await (decoder ? pipeline(response, decoder, collect, { signal }) : pipeline(response, collect, { signal }))
  } catch (error) {
    if (signal.aborted || error instanceof ToolError) throw error
    throw new ToolError(`${url.href} broke off: ${messageOf(error)}.`, 'Try again, or another page.', { cause: error })
  }
  return Buffer.concat(chunks)
}

function decoderOf(encoding: string | undefined) {
  if (encoding === 'br') return createBrotliDecompress()
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip()
  return encoding === 'deflate' ? createInflate() : undefined
}

/** The result of work that cannot be stopped itself. */
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop))
}
