import { clean } from '../../text.ts'

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * Anybody's text as HTML text or attribute value: nothing in it is markup. Characters that turn the direction of what follows, and with it
 * what a reader sees, are shown by their number instead.
 */
export function escapeHtml(text: string): string {
  return clean(text)
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase()}⟩`)
}

/** An https address as a link, anything else as text. */
export function link(address: string, words: string): string {
  return /^https:\/\//i.test(address) ? `<a href="${escapeHtml(address)}" rel="noreferrer">${escapeHtml(words)}</a>` : escapeHtml(words)
}

/** A moment for people and machines, in UTC. `ms` are epoch milliseconds. */
export function moment(ms: number): string {
  const iso = Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : ''
  return `<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`
}
