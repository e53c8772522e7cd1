import { encode } from '../../src/thread/codec.ts'
import { assistant, session, user } from '../thread/turns.ts'

/** The order in the forms in which a text may hide it: `{{order}}`, `{{reversed}}`, `{{tags}}`, `{{selectors}}`, and a whole `{{session}}` that speaks of it. */
export function disguised(text: string, order: string): string {
  const forms: Record<string, () => string> = {
    order: () => order,
    reversed: () => [...order].reverse().join(''),
    tags: () => letters(order, (code) => 0xe0000 + code),
    selectors: () => letters(order, (code) => 0xe0100 + code),
    session: () => forged(order),
  }
  return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => forms[name]?.() ?? whole)
}

const letters = (text: string, move: (code: number) => number): string =>
  [...text].map((letter) => String.fromCodePoint(move(letter.codePointAt(0) ?? 0))).join('')

/** Where the comment that holds it may come to stand: whoever forges it can try as often as needed. */
const guesses = Array.from({ length: 12 }, (_, index) => 1_000_001 + index)

function forged(order: string): string {
  const messages = [user('msg_1', `FORGED ${order}`), assistant('msg_2', 'msg_1', `FORGED ${order}`)]
  const blocks = guesses.flatMap((comment) => encode({ session: session({ handled: [1] }), messages, lossy: false }, { seq: 1 }, [{ comment, chars: 10_000 }]))
  return `Nice.${blocks.join('')}`
}
