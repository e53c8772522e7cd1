import { ModelError } from './errors.ts'

/** Reading what people give: variables, addresses, keys. */

export type Environment = Readonly<Record<string, string | undefined>>

/** The first of these variables that is set. */
export function fromEnvironment(env: Environment, names: readonly string[]): { readonly name: string; readonly value: string } | undefined {
  for (const name of names) {
    const value = present(env[name])
    if (value !== undefined) return { name, value }
  }
  return undefined
}

/** Trims; blank is absent (C149, C165). */
export function present(value: string | undefined): string | undefined {
  return value?.trim() || undefined
}

/** Takes the address as people paste it: a trailing slash or the path of the call itself is cut off. Throws `ModelError`. */
export function checkedAddress(what: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new ModelError(`${what} is no http(s) address.`, 'Give it in full, as https://host/v1.')
  if (url.username || url.password) throw new ModelError(`${what} holds a user name or password.`, 'Give the key by the input api-key instead.')
  if (url.search || url.hash) throw new ModelError(`${what} holds a query or a fragment.`, 'Give the address up to its path, as https://host/v1.')
  return url.href.replace(/\/+$/, '').replace(/\/(chat\/completions|responses|messages)$/, '')
}

/** A key travels in a header; one that can't would fail at the first request with a message about bytes. Throws `ModelError`. */
export function checkedKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new ModelError(
    'The API key holds spaces, line breaks or letters that no key has.',
    'Store the key alone in the secret, without quotes or a name before it.',
  )
}

/** A name that becomes part of a host, such as a region: one label, so that it can't lead elsewhere. Throws `ModelError`. */
export function checkedLabel(what: string, text: string): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(text)) return text
  throw new ModelError(`${what} is "${text}", which is no name of one.`, 'Letters, digits and dashes are allowed.')
}

export function isLoopback(address: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname)
}
