import { describe, expect, it } from 'vitest'
import { fromHtml } from '../../../src/tool/net/html.ts'

const base = new URL('https://site.example/docs/page')
const markdown = (html: string) => fromHtml(html, 'markdown', base)
const text = (html: string) => fromHtml(html, 'text', base)

describe('HTML as Markdown', () => {
  it('keeps headings, lists, code and tables', async () => {
    expect(
      await markdown(`<!doctype html><html><head><title>The title</title></head><body><h1>Head</h1><p>one <em>two</em></p><ul><li>a<li>b</ul>
<pre><code class="language-js">const a = 1
  b_c</code></pre><table><thead><tr><th>A<th>B</tr></thead><tbody><tr><td>1|2<td>x<br>y</tr></tbody></table></body></html>`),
    ).toBe('The title\n\n# Head\n\none _two_\n\n-   a\n-   b\n\n```js\nconst a = 1\n  b_c\n```\n\n| A | B |\n| --- | --- |\n| 1\\|2 | x y |')
  })

  it('makes links absolute and leaves out those that lead nowhere', async () => {
    expect(
      await markdown(
        '<a href="../x?y=(1)">link</a> <a href="javascript:x()">js</a> <a name="n"></a><img src="/i.png" alt="i"><img src="data:image/png;base64,AAAA" alt="inside">',
      ),
    ).toBe('[link](https://site.example/x?y=%281%29) js ![i](https://site.example/i.png)inside')
  })

  it('leaves out scripts, styles, comments and what no reader sees (C142)', async () => {
    const html = `<p>seen</p><script>a()</script><style>b{}</style><!-- c --><noscript>d</noscript><template>e</template><div hidden>f</div>
<p style="display : none">g</p><span style="visibility:hidden">h</span><svg><text>i</text></svg><iframe src=x>j</iframe>`
    for (const convert of [markdown, text]) expect(await convert(html)).toBe('seen')
  })
})

describe('HTML as text', () => {
  it('keeps words, lines and preformatted text, and no marks', async () => {
    expect(
      await text(
        '<h1>Head</h1><p>a <em>b_c</em> <a href="/x">link</a>.</p><ul><li>one<li>two</ul><pre>x\n  y</pre><table><tr><th>A<th>B</tr><tr><td>1<td>2</tr></table>c<br>d',
      ),
    ).toBe('Head\n\na b_c link.\n\none\ntwo\n\nx\n  y\n\nA B\n1 2\n\nc\nd')
  })
})

describe('HTML that would take for ever', () => {
  it.each([
    ['nested', '<div>'],
    ['formatting that is opened anew in every block', '<font color=1><p>x'],
    ['end tags without a start', 'x</p>'],
    ['tables in tables', '<table><tr><td>'],
    ['elements', '<i>x</i> '],
  ])('is cut: %s', async (_name, piece) => {
    const converted = await markdown(`<p>start</p>${piece.repeat(200_000)}`)
    expect(converted).toMatch(/^start/)
    expect(converted).toMatch(/\(The page is too large to convert; the rest is left out\. The format html has all of it\.\)$/)
  })

  it('does not count what is inside scripts, nor tags that are never closed', async () => {
    const page = `<script>${'"<div>" + '.repeat(1_000)}</script>${'<p>x<br>'.repeat(1_000)}<p>end`
    expect(await markdown(page)).toMatch(/end$/)
    for (const open of ['<script>', '<!--']) expect(await markdown(`<p>start</p>${`${open} x `.repeat(100_000)}`)).toBe('start')
  })
})
