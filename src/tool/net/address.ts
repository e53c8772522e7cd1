import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

export interface Address {
  readonly address: string
  readonly family: number
}

/** Where a host is, and which places may be asked. The one used in runs is `publicNetwork`; tests bring their own. */
export interface Network {
  /** Every address of a host name, as the machine resolves it. */
  resolve(host: string): Promise<readonly Address[]>
  /** Whether an address may be connected to. */
  permits(address: string): boolean
}

/** Addresses that look public and belong to the machine's cloud: Azure's host agent, which hosted runners can reach. */
const cloudAgents = new Set(['168.63.129.16'])

/**
 * Only what anybody on the internet can reach. Every address with a special purpose is refused: loopback, private, link-local (metadata services),
 * carrier-grade NAT, multicast, unique-local, reserved. An IPv4 address inside an IPv6 one (mapped, or by NAT64) counts as itself; tunnels that
 * carry one are refused.
 */
export async function publicNetwork(): Promise<Network> {
  const { parse, isValid } = await import('./ipaddr.ts')
  const permits = (address: string): boolean => {
    if (!isValid(address)) return false
    const parsed = parse(address)
    if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast' && !cloudAgents.has(parsed.toString())
    const bytes = parsed.toByteArray()
    const prefix = Buffer.from(bytes.slice(0, 12)).toString('hex')
    if (prefix === '00000000000000000000ffff' || prefix === '0064ff9b0000000000000000') return permits(bytes.slice(12).join('.'))
    // Global unicast is 2000::/3; the library calls everything unicast that it has no other name for.
    return parsed.range() === 'unicast' && ((bytes[0] ?? 0) & 0xe0) === 0x20
  }
  return {
    permits,
    resolve: (host) => (isIP(host) === 0 ? lookup(host, { all: true }) : Promise.resolve([{ address: host, family: isIP(host) }])),
  }
}
