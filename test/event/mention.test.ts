import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findMention } from '../../src/event/mention.ts'
import { markdown } from './arbitrary.ts'

const triggers = ['/opencode', '/oc']
const find = (body: string, words: readonly string[] = triggers) => findMention(body, words)
const fence = '```'

describe('the trigger word counts as a token of its own', () => {
  test.each([
    ['at the start', '/opencode fix it'],
    ['alone', '/oc'],
    ['after white space (C02)', '\n\n\t/oc fix the typo'],
    ['in the middle of a sentence', 'please /opencode fix this'],
    ['at the end of a sentence', 'can you look at this, /oc?'],
    ['in any letter case (C06)', '/OpenCode summarise this'],
    ['in capitals (C06)', '/OC fix'],
    ['before a comma (C05)', '/opencode, fix it'],
    ['before a colon (C05)', '/opencode: fix it'],
    ['in parentheses (C05)', '(/opencode can you check?)'],
    ['in double quotes (C05)', '"/opencode" please'],
    ['in typographic quotes (C05)', '“/opencode” please'],
    ['before several closing marks', '(see "/opencode.")'],
    ['in brackets that are no link', '[/oc fix]'],
    ['in bold', '**/opencode** fix it'],
    ['at the start of bold text', '***/opencode fix* it**'],
    ['in a heading', '## /opencode fix it'],
    ['in a list', '- a\n- /opencode fix it'],
    ['in a list inside a list', '- a\n  - b\n\n    /opencode fix it'],
    ['after a hard line break', 'Hello\\\n/opencode fix it'],
    ['with Windows line ends', 'Hello\r\n\r\n/opencode fix it\r\n'],
    ['after a byte order mark', '\ufeff/opencode fix it'],
    ['touched by the punctuation of a script without spaces', '你好，/opencode：修复'],
    ['after a quote and a blank line', '> said before\n\n/opencode fix it'],
    ['after a closed HTML comment', '<!-- /oc -->\n\n/opencode fix it'],
    ['after an empty HTML comment', '<div><!-->\n\n/opencode fix it'],
    ['between HTML tags that quote nothing', '<details>\n\n/opencode fix it\n\n</details>'],
    ['after closed HTML code', 'a <code>b</code> /opencode fix it'],
    ['below a table and a blank line', '| a | b |\n|---|---|\n| c | d |\n\n/opencode fix it'],
    ['below a line of dashes', `${'-'.repeat(200)}\n/opencode fix it`],
  ])('%s', (_, body) => {
    expect(find(body)).toBeDefined()
  })
})

describe('writing about the trigger word, or a longer word, calls nobody', () => {
  test.each([
    ['a path segment of an address (C01)', 'See https://example.org/docs/opencode/setup for details'],
    ['the end of an address (C01)', 'See https://example.org/opencode'],
    ['an automatic link (C01)', '<https://example.org/ /opencode>, <https://example.org/opencode>'],
    ['a longer word (C02)', '/october release notes'],
    ['another longer word (C02)', '/ocean'],
    ['the end of a path (C02)', 'foo/oc'],
    ['a hyphenated word', '/opencode-foo bar'],
    ['the start of a path', '/oc/path'],
    ['a file name', '/oc.md'],
    ['a file name at the end of a sentence', 'look at /oc.md.'],
    ['a word glued in front', 'cc:/opencode'],
    ['an address in parentheses', '(https://example.org/opencode)'],
    ['a code span (C03)', 'write `/opencode deploy` to deploy'],
    ['a code span of two ticks (C03)', 'write `` /opencode ` deploy `` to deploy'],
    ['a fence (C03)', `Try this:\n\n${fence}\n/opencode deploy\n${fence}\n\nand wait.`],
    ['a fence of tildes (C03)', '~~~sh\n/opencode deploy\n~~~'],
    ['a fence that is never closed (C03)', `${fence}\n/opencode deploy`],
    ['indented code (C03)', 'Like this:\n\n    /opencode deploy\n\nand wait.'],
    ['indented code by a tab (C03)', '\t/opencode deploy\n\ndeploys'],
    ['a table (C03)', '| command | what |\n|---|---|\n| /opencode deploy | deploys |'],
    ['a table without outer bars (C03)', 'command | what\n--- | ---\n/opencode deploy | deploys'],
    ['a table cell after code (C03)', '| command | what |\n|---|---|\n| `x` | /opencode deploy |'],
    ['a block quote', '> /opencode deploy'],
    ['a line that a block quote runs on into', '> said before\n/opencode deploy'],
    ['a block quote in a list', '- > /opencode deploy'],
    ['a list in a block quote', '> - /opencode deploy'],
    ['an HTML comment', '<!-- /opencode deploy -->'],
    ['an HTML comment over several lines', 'a <!-- b\n/opencode deploy\n-->'],
    ['an HTML comment in other HTML', '<details>\n<!--\n/opencode deploy\n-->\n</details>'],
    ['an HTML comment in other HTML, after a blank line', '<div><!--\n\n/opencode deploy\n\n--></div>'],
    ['an HTML comment that is never closed', '<!--\n\n/opencode deploy'],
    ['raw HTML', '<p>\n/opencode deploy\n</p>'],
    ['an HTML attribute', '<a title=" /opencode deploy ">x</a>'],
    ['HTML code', 'write <code> /opencode deploy</code>'],
    ['an HTML block quote', '<blockquote>\n\n/opencode deploy\n\n</blockquote>'],
    ['the text of a link', '[/opencode deploy](https://example.org)'],
    ['the text of a reference', '[/opencode deploy][x]\n\n[x]: https://example.org'],
    ['the destination of a link', '[x](/opencode)'],
    ['the title of a link', '[x](https://example.org "/opencode deploy")'],
    ['the text of an image', '![/opencode deploy](https://example.org/x.png)'],
    ['a definition', '[x]: /opencode "/opencode deploy"'],
    ['a backslash in front', '\\/opencode deploy'],
    ['struck out text', '~~/opencode deploy~~'],
    ['a text without the word', 'Thanks!'],
    ['no text', ''],
    ['lists nested beyond reason', `${'- '.repeat(30_000)}/oc`],
  ])('%s', (_, body) => {
    expect(find(body)).toBeUndefined()
  })
})

describe('what was said around the word is kept', () => {
  test.each([
    ['/opencode fix it', '', ' fix it'],
    ['please /opencode fix this', 'please ', ' fix this'],
    ['/OpenCode Fix The README', '', ' Fix The README'],
    ['/opencode, fix it', '', ' fix it'],
    ['"/opencode" please', '', ' please'],
    ['(“/opencode”): please', '', ' please'],
    ['(/opencode can you check?)', '(', ' can you check?)'],
    ['**/opencode** fix it', '', ' fix it'],
    ['**/opencode fix** it', '**', ' fix** it'],
    ['***/opencode** fix* it', '*', ' fix* it'],
    ['`/oc a` and /oc b and /oc c', '`/oc a` and ', ' b and /oc c'],
    ['\ufeff/oc x', '', ' x'],
    [`/oc run\n\n${fence}ts\n\tconst a = '$&'  \n${fence}\n`, '', ` run\n\n${fence}ts\n\tconst a = '$&'  \n${fence}\n`],
  ])('%j', (body, before, after) => {
    expect(find(body)).toEqual({ before, after })
  })

  test('a command outside of the fence is found although the fence comes first (C03)', () => {
    expect(find(`${fence}\n/opencode a\n${fence}\n\n/opencode b`)?.after).toBe(' b')
  })
})

describe('trigger words of the user’s choice', () => {
  test('match in any letter case (C06)', () => {
    expect(find('hey /bot do it', ['/Bot', '/B'])?.after).toBe(' do it')
    expect(find('/b do it', ['/Bot', '/B'])?.after).toBe(' do it')
  })

  test('are taken literally, not as a pattern', () => {
    expect(find('/botx fix', ['/bot.'])).toBeUndefined()
    expect(find('a+b(c) fix', ['a+b(c)'])?.after).toBe(' fix')
    expect(find('@my-bot[x]| fix', ['@my-bot[x]|'])?.after).toBe(' fix')
  })

  test('the longer of two that fit wins', () => {
    expect(find('@bot) fix', ['@bot', '@bot)'])?.after).toBe(' fix')
    expect(find('“oc” fix', ['oc', '“oc”'])?.after).toBe(' fix')
  })
})

/** Prose without anything Markdown or the trigger words could take hold of. */
const word = fc.stringMatching(/^[a-z]{1,8}$/)
const sentence = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '))
describe('whatever is written', () => {
  test('finding the word never throws, and what it gives back stands in the text', () => {
    fc.assert(
      fc.property(markdown, (body) => {
        const mention = find(body)
        if (!mention) return
        expect(body.replace(/^\ufeff/, '').includes(mention.before)).toBe(true)
        expect(body.includes(mention.after)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  test('code, quotes and comments never call', () => {
    const call = fc.tuple(fc.constantFrom(...triggers), sentence).map(([trigger, text]) => `${trigger} ${text}`)
    const lines = fc.array(fc.oneof(call, sentence), { minLength: 1, maxLength: 4 })
    const shelter = fc.oneof(
      lines.map((all) => `${fence}\n${all.join('\n')}\n${fence}`),
      lines.map((all) => `~~~~ text\n${all.join('\n\n')}\n~~~~`),
      lines.map((all) => `words\n\n${all.map((line) => `    ${line}`).join('\n')}`),
      lines.map((all) => all.map((line) => `> ${line}`).join('\n')),
      lines.map((all) => all.map((line) => `> > - ${line}`).join('\n')),
      lines.map((all) => `<!-- ${all.join('\n\n')} -->`),
      lines.map((all) => `<details>\n<!-- ${all.join('\n\n')} -->\n</details>`),
      call.map((line) => `word \`${line}\` word`),
      call.map((line) => `[${line}](https://example.org/opencode) word`),
      call.map((line) => `| a | b |\n|---|---|\n| ${line} | c |`),
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(shelter, sentence), { maxLength: 6 }), (blocks) => {
        expect(find(blocks.join('\n\n'))).toBeUndefined()
      }),
    )
  })

  test('a call in a paragraph of its own is found among any paragraphs, with everything said', () => {
    fc.assert(
      fc.property(
        fc.array(sentence, { maxLength: 4 }),
        fc.constantFrom(...triggers),
        sentence,
        fc.array(sentence, { maxLength: 4 }),
        (above, trigger, request, below) => {
          const before = above.map((text) => `${text}\n\n`).join('')
          const after = ` ${[request, ...below].join('\n\n')}`
          expect(find(`${before}${trigger.toUpperCase()}${after}`)).toEqual({ before, after })
        },
      ),
    )
  })
})
