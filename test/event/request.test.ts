import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findMention } from '../../src/event/mention.ts'
import { isOwn, requestIn } from '../../src/event/request.ts'
import { markdown } from './arbitrary.ts'

const triggers = ['/opencode', '/oc']

test.each([
  ['/oc fix the dates', { type: 'prompt', text: 'fix the dates' }],
  ['Thanks!\n\n/opencode now the tests', { type: 'prompt', text: 'Thanks!\n\nnow the tests' }],
  ['/oc cancel', { type: 'cancel' }],
  ['/oc /review src', { type: 'command', name: 'review', arguments: 'src' }],
  ['/oc', { type: 'prompt', text: '' }],
  ['thanks', undefined],
  ['use `/oc fix`', undefined],
  ['', undefined],
])('a later comment %j asks for %j', (body, verb) => {
  expect(requestIn(body, triggers)).toEqual(verb)
})

test('the input prompt goes in front, and the trigger word alone asks for what the place suggests', () => {
  expect(requestIn('/oc fix', triggers, { prompt: 'In French.', bare: 'Review.' })).toEqual({ type: 'prompt', text: 'In French.\n\nfix' })
  expect(requestIn('/oc', triggers, { prompt: 'In French.', bare: 'Review.' })).toEqual({ type: 'prompt', text: 'In French.' })
  expect(requestIn('/oc', triggers, { bare: 'Review.' })).toEqual({ type: 'prompt', text: 'Review.' })
  expect(requestIn('/oc help', triggers, { prompt: 'In French.', bare: 'Review.' })).toEqual({ type: 'help' })
})

test.each([
  '/oc fix\n\n<!-- opencode:session:v1 {"session":"ses_1"} abc -->',
  '/oc fix\n<!-- opencode:run {"run":"1"} -->',
  '/oc fix <!--opencode:finding -->',
  '/oc fix <!--\n  OpenCode:x',
])('our own text asks for nothing: %j (C15)', (body) => {
  expect(requestIn(body, triggers)).toBeUndefined()
})

test.each(['/oc fix <!-- please -->', '/oc explain `opencode: config`', '/oc what is <!-- open -->?'])('a person may write comments of HTML: %j', (body) => {
  expect(isOwn(body)).toBe(false)
  expect(requestIn(body, triggers)).toBeDefined()
})

test('whatever the text, a request is found exactly where a mention is, and a hidden block of ours always silences it', () => {
  fc.assert(
    fc.property(markdown, (body) => {
      expect(requestIn(body, triggers) === undefined).toBe(findMention(body, triggers) === undefined)
      expect(requestIn(`${body}\n\n<!-- opencode:session:v1 {} x -->`, triggers)).toBeUndefined()
    }),
  )
})
