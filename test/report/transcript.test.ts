import { expect, test } from 'vitest'
import { createRedactor } from '../../src/report/redact.ts'
import { transcriptPage } from '../../src/report/transcript/page.ts'
import { answered, called, said, sampleMessages, sampleSession } from './sample-session.ts'

const redact = (text: string) => text
const page = (messages = sampleMessages(), options = {}) => transcriptPage([{ session: sampleSession(), messages }], { redact, ...options })

test('the page holds title, figures, every message and every call with input and output', () => {
  const html = page()
  expect(html).toContain('<h1>Dates come out a month late</h1>')
  expect(html).toContain('<dt>Model</dt><dd>openai/gpt-5.4</dd>')
  expect(html).toContain('rel="noreferrer">@alice</a>')
  expect(html.match(/<article /g)).toHaveLength(8)
  expect(html).toContain('# pass 3\n# fail 2')
  expect(html).toContain('The command was refused')
  expect(html).toContain('All five tests pass.')
})

test('an edit is shown as a diff with the lines around it', () => {
  expect(page()).toContain(
    '<pre class="diff">   const [year, month, day] = text.split(&quot;-&quot;).map(Number)\n<del>-  return new Date(year, month, day)</del>\n<ins>+  return new Date(year, month - 1, day)</ins></pre>',
  )
})

test('a patch and a new file are shown as diffs too', () => {
  const html = page([
    answered(
      1,
      [
        called({ tool: 'apply_patch', input: { patchText: '*** Update File: a\n-old\n+new\n same' }, at: 1, took: 1 }),
        called({ tool: 'write', input: { filePath: 'b', content: 'x\ny\n' }, at: 1, took: 1 }),
        called({ tool: 'bash', input: { command: 'git diff' }, output: 'diff --git a/c b/c\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-1\n+2', at: 1, took: 1 }),
      ],
      { took: 2 },
    ),
  ])
  expect(html).toContain('<span class="hunk">@ *** Update File: a</span>\n<del>-old</del>\n<ins>+new</ins>\n same')
  expect(html).toContain('<ins>+x</ins>\n<ins>+y</ins>')
  expect(html).toContain('<del>-1</del>\n<ins>+2</ins>')
})

test('each step has its row in the drawing and in the table', () => {
  const html = page()
  expect(html.match(/<g class="step">/g)).toHaveLength(6)
  expect(html.match(/<th scope="row">/g)).toHaveLength(6)
  expect(html).toContain('<title>bash: node --test, 1.6 s</title>')
  // The hour between the two requests is not drawn to scale.
  expect(html).toContain('59 min 44 s before this step are not drawn')
})

test('subtasks are sections of their own that the page leads to', () => {
  const child = {
    session: sampleSession({ id: 'ses_child', parentID: 'ses_sample', title: 'Look for callers' }),
    messages: [said(1, 'Find the callers'), answered(2, [{ type: 'text', text: 'There are two.' }], { took: 1 })],
  }
  const html = transcriptPage([{ session: sampleSession(), messages: sampleMessages() }, child], { redact })
  expect(html).toContain('<a href="#s1">Look for callers</a>')
  expect(html).toMatch(/<section id="s1".*Subtask: Look for callers.*There are two\./s)
})

test('C140 secrets are taken out before a text is escaped, cut or drawn', () => {
  const secret = 'p<a>ss & "word"'
  const html = transcriptPage(
    [
      {
        session: sampleSession({ title: secret }),
        messages: [
          said(0, secret),
          answered(1, [called({ tool: 'bash', input: { command: secret }, title: secret, output: secret, at: 1, took: 1 })], { took: 2 }),
        ],
      },
    ],
    { redact: createRedactor([secret]).redact },
  )
  expect(html).not.toContain('ss &amp;')
  expect(html.match(/\[redacted\]/g)?.length).toBeGreaterThan(5)
})

test('a page that would be too large cuts long texts in their middle, and says so', () => {
  const messages = [answered(1, [called({ tool: 'bash', input: {}, output: `begin${'x'.repeat(300_000)}end`, at: 1, took: 1 })], { took: 2 })]
  expect(page(messages)).toContain('x'.repeat(300_000))
  const html = page(messages, { maxBytes: 200_000 })
  expect(Buffer.byteLength(html)).toBeLessThan(200_000)
  expect(html).toMatch(/begin[\s\S]*characters left out to keep this page small[\s\S]*end/)
})

test('where even that is not enough, the oldest messages are left out, and the page says how many', () => {
  const many = Array.from({ length: 400 }, (_, index) => answered(index, [{ type: 'text', text: `answer ${index} ${'é'.repeat(2_000)}` }], { took: 1 }))
  const html = page(many, { maxBytes: 600_000 })
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(600_000)
  expect(html).toContain('answer 399 ')
  expect(html).not.toContain('answer 0 ')
  expect(html).toMatch(/\d+ older messages left out/)
})

test('a session without a word is a page too', () => {
  expect(page([])).toContain('<dt>Messages</dt><dd>0</dd>')
  expect(transcriptPage([], { redact })).toContain('<h1>Session</h1>')
})

test('characters that turn the direction of text are shown by their number', () => {
  expect(page([said(0, 'a\u202Eb')])).toContain('a⟨U+202E⟩b')
})
