import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defuse } from '../../src/event/defuse.ts'
import { findMention } from '../../src/event/mention.ts'
import { markdown } from './arbitrary.ts'

const triggers = ['/opencode', '/oc']

test.each([
  ['Reply /opencode to continue, or /OC undo.', 'Reply &#47;opencode to continue, or &#47;OC undo.'],
  ['**/opencode** goes on', '**&#47;opencode** goes on'],
  ['  /oc', '&#47;oc'],
])('a reply that names the trigger word does not call us again (C15): %j', (reply, expected) => {
  expect(defuse(reply, triggers)).toBe(expected)
})

test.each(['Done.', 'Write `/opencode` in a comment.', '```\n/opencode fix\n```', 'See https://example.org/opencode/x', '\ufeffDone.', ''])(
  'a reply that calls nobody is left as it is: %j',
  (reply) => {
    expect(defuse(reply, triggers)).toBe(reply)
  },
)

test('words of the user’s choice are defused too, once where two fit', () => {
  expect(defuse('ask @bot! or bot', ['@bot', '@bot!', 'bot'])).toBe('ask &#64;bot! or &#98;ot')
  expect(defuse('say 😀go now', ['😀go'])).toBe('say &#128512;go now')
})

test('whatever a reply holds, it calls nobody afterwards (C15)', () => {
  fc.assert(
    fc.property(markdown, (reply) => {
      expect(findMention(defuse(reply, triggers), triggers)).toBeUndefined()
    }),
    { numRuns: 2_000 },
  )
})
