import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findMention } from '../../src/event/mention.ts'
import type { Verb } from '../../src/event/trigger.ts'
import { readVerb } from '../../src/event/verb.ts'

function verb(body: string): Verb | undefined {
  const mention = findMention(body, ['/opencode', '/oc'])
  return mention && readVerb(mention)
}
const prompt = (text: string): Verb => ({ type: 'prompt', text })
const fence = '```'

describe('a request holds everything that was said', () => {
  test.each([
    ['/opencode fix it', 'fix it'],
    ['\n\n\t/oc fix the typo', 'fix the typo'],
    ['/OpenCode Summarise README.md', 'Summarise README.md'],
    ['please /opencode fix this', 'please fix this'],
    ['fix the date parsing /opencode', 'fix the date parsing'],
    ['/opencode, fix it', 'fix it'],
    ['/opencode: fix it', 'fix it'],
    ['"/opencode" please', 'please'],
    ['(/opencode can you check?)', '(can you check?)'],
    ['**/opencode** fix it', 'fix it'],
    ['**/opencode fix it**', '**fix it**'],
    ['It fails on Mondays.\n\n/opencode fix it\n\nThanks!', 'It fails on Mondays.\n\nfix it\n\nThanks!'],
    ['> it fails\n\n/opencode fix that', '> it fails\n\nfix that'],
    ['/opencode\n\n    indented code\n', '    indented code'],
    [`look /opencode\n${fence}\na\n${fence}`, `look\n${fence}\na\n${fence}`],
    [`/oc fix\n\n${fence}js\n\tlet a = 1  \n\n\n${fence}`, `fix\n\n${fence}js\n\tlet a = 1  \n\n\n${fence}`],
    [
      '/opencode --model x --provider.openai.options.baseURL=http://evil.example fix it',
      '--model x --provider.openai.options.baseURL=http://evil.example fix it',
    ],
  ])('%j', (body, text) => {
    expect(verb(body)).toEqual(prompt(text))
  })

  test('options in a request stay plain text (C147)', () => {
    expect(verb('/opencode --agent plan fix it')).toEqual(prompt('--agent plan fix it'))
  })

  test.each(['/opencode', '/opencode.', '(/opencode)', '(/opencode.)', '  /oc  \n'])('%j says nothing more', (body) => {
    expect(verb(body)).toEqual(prompt(''))
  })
})

describe('orders', () => {
  test.each([
    ['/opencode continue', { type: 'continue' }],
    ['/opencode Continue.', { type: 'continue' }],
    ['/opencode: continue\n', { type: 'continue' }],
    ['/opencode cancel', { type: 'cancel' }],
    ['/oc undo!', { type: 'undo' }],
    ['/opencode help', { type: 'help' }],
    ['That is wrong.\n\n/opencode undo', { type: 'undo' }],
    ['Stop!\n  /oc cancel', { type: 'cancel' }],
  ])('%j', (body, expected) => {
    expect(verb(body)).toEqual(expected)
  })

  test.each([
    ['/opencode continue with the tests', 'continue with the tests'],
    ['/opencode undo the last commit', 'undo the last commit'],
    ['/opencode help me', 'help me'],
    ['/opencode undo?', 'undo?'],
    ['should we /opencode undo', 'should we undo'],
    ['You forgot the tests.\n\n/opencode continue', 'You forgot the tests.\n\ncontinue'],
  ])('%j is a request, for it says more', (body, text) => {
    expect(verb(body)).toEqual(prompt(text))
  })
})

describe('commands and shell lines', () => {
  test.each([
    ['/opencode /review', { type: 'command', name: 'review', arguments: '' }],
    ['/opencode /review src/a.ts  and b', { type: 'command', name: 'review', arguments: 'src/a.ts  and b' }],
    ['/oc /git/rebase-all main\n\nand more', { type: 'command', name: 'git/rebase-all', arguments: 'main\n\nand more' }],
    ['/oc !npm test', { type: 'shell', command: 'npm test' }],
    ['/oc ! ls -la | wc', { type: 'shell', command: 'ls -la | wc' }],
  ])('%j', (body, expected) => {
    expect(verb(body)).toEqual(expected)
  })

  test.each([
    ['/opencode /src/index.ts is broken', '/src/index.ts is broken'],
    ['/opencode please /review', 'please /review'],
    ['do not run /opencode !rm -rf build', 'do not run !rm -rf build'],
    ['See the docs.\n\n/opencode /review', 'See the docs.\n\n/review'],
    ['/opencode !npm test\n\nOn Monday bob wrote:\n> package.json', '!npm test\n\nOn Monday bob wrote:\n> package.json'],
  ])('%j is a request', (body, text) => {
    expect(verb(body)).toEqual(prompt(text))
  })
})

test('a fenced block in a request keeps its bytes, whatever it holds', () => {
  const code = fc.string({ unit: 'binary-ascii', maxLength: 60 }).filter((text) => !text.includes('`') && !text.includes('\r'))
  fc.assert(
    fc.property(code, (text) => {
      const block = `${fence}\n${text}\n${fence}`
      expect(verb(`/oc run this:\n${block}\n\nthanks`)).toEqual(prompt(`run this:\n${block}\n\nthanks`))
      expect(verb(`this:\n${block}\n\nplease /oc run it`)).toEqual(prompt(`this:\n${block}\n\nplease run it`))
    }),
  )
})
