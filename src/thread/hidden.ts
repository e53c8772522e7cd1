/** Opening of every block of session data, up to its header. The version is part of the format. */
export const opening = '<!-- opencode:session:v1 '
export const closing = ' -->'

const ours = /<!--\s*opencode:/i
const session = /<!--\s*opencode:session\b/i
const further = /<!-- opencode:session:v1 \{[^}]*"part":(?!1[,}])\d/
const start = /<!--(?=\s*opencode:)/gi

/** Whether a comment carries a hidden mark of the bot, whatever its kind or version. Says nothing about whether it is genuine. */
export function isOurs(body: string): boolean {
  return ours.test(body)
}

/** Whether a comment carries session data, of whatever version. Says nothing about whether it is genuine. */
export function carriesSession(body: string): boolean {
  return session.test(body)
}

/** The session data of a comment, from where it begins to the end; empty when there is none. */
export function sessionData(body: string): string {
  const at = body.search(session)
  return at < 0 ? '' : body.slice(at).trimEnd()
}

/** Whether a comment holds a further part of what a reply remembers, and nothing for readers. */
export function isContinuation(body: string): boolean {
  return further.test(body)
}

/** What a reader sees of a comment: its text without the bot's hidden blocks, an unfinished one included. */
export function stripHidden(body: string): string {
  let text = body
  // From the start each time: what stood on both sides of a removed block may form another.
  for (let at = text.search(ours); at >= 0; at = text.search(ours)) {
    const end = text.indexOf('-->', at)
    text = text.slice(0, at) + (end < 0 ? '' : text.slice(end + 3))
  }
  return text.trimEnd()
}

/**
 * Makes text safe to post: whatever looks like the beginning of one of the bot's hidden blocks (a model repeating what it read)
 * becomes visible text that no run reads as session data. Applying it twice changes nothing more.
 */
export function neutralise(text: string): string {
  return text.replaceAll(start, '&lt;!--')
}
