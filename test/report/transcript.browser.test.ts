import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { transcriptPage } from '../../src/report/transcript/page.ts'
import type { WithParts } from '../../src/session/message.ts'
import { startBrowser } from './browser.ts'
import { answered, called, said, sampleMessages, sampleSession } from './sample-session.ts'

/** Its Chromium is built for Linux; elsewhere there is none to test with. */
const isLinux = process.platform === 'linux'
const why = isLinux ? '' : ' (skipped: @sparticuz/chromium is for Linux only)'

const redact = (text: string) => text
const child = {
  session: sampleSession({ id: 'ses_child', parentID: 'ses_sample', title: 'Look for callers' }),
  messages: [said(5, 'Find them'), answered(6, [{ type: 'text', text: 'Two.' }], { took: 1 })],
}
const htmlOf = (messages: readonly WithParts[], title = 'Dates come out a month late') =>
  transcriptPage([{ session: sampleSession({ title }), messages }, child], { redact, runUrl: 'https://github.test/octo/demo/actions/runs/1' })

const evil = `</script></style></pre></details><script>window.ran = 'script'</script><img src=x onerror="window.ran = 'image'"><svg onload="window.ran = 'svg'"></svg>`
const hostile = [
  said(0, `${evil} javascript:alert(1)\n\`\`\`html\n${evil}\n\`\`\``, [
    { type: 'file', mime: 'image/png', url: `data:image/svg+xml,${evil}`, filename: `" onerror="window.ran='name'` },
    { type: 'file', mime: 'text/html', url: `javascript:window.ran='url'`, filename: 'x.html' },
    { type: 'file', mime: 'image/png', url: 'https://tracker.test/pixel.png', filename: 'pixel' },
  ]),
  answered(
    1,
    [
      called({
        tool: `bash"><script>window.ran='tool'</script>`,
        input: { command: evil, '"><b onclick=window.ran=1>': evil },
        title: evil,
        output: evil,
        at: 1,
        took: 1,
      }),
      called({ tool: 'edit', input: { filePath: 'a', oldString: evil, newString: `${evil}!` }, error: evil, at: 1, took: 1 }),
    ],
    { took: 2, info: { error: { name: 'APIError', message: evil } } },
  ),
]

const address = 'http://transcript.test/'
const probes = join(import.meta.dirname, 'in-page.js')

/** A page in the browser, with everything it complained about and asked the network for. */
interface Opened {
  readonly page: Page
  readonly complaints: readonly string[]
  readonly requests: readonly string[]
  /** Asks one of the probes of in-page.js. */
  ask<T>(question: string): Promise<T>
}

describe.skipIf(!isLinux)(`the transcript page in Chromium${why}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())

  async function open(html: string, options: BrowserContextOptions, look: (opened: Opened) => Promise<void>): Promise<void> {
    const context = await browser.newContext(options)
    const complaints: string[] = []
    const requests: string[] = []
    // Everything that leaves the page comes through here, and only the page itself is answered.
    await context.route('**/*', (route) => {
      if (route.request().url() === address) return route.fulfill({ contentType: 'text/html', body: html })
      requests.push(route.request().url())
      return route.abort()
    })
    try {
      const page = await context.newPage()
      await page.addInitScript({ path: probes })
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('dialog', (dialog) => {
        complaints.push(`dialog ${dialog.message()}`)
        return dialog.dismiss()
      })
      await page.goto(address)
      await look({ page, complaints, requests, ask: (question) => page.evaluate(`probes.${question}`) })
    } finally {
      await context.close()
    }
  }

  test('it shows itself without complaint and asks nobody for anything', async () => {
    await open(htmlOf(sampleMessages()), {}, async ({ page, complaints, requests, ask }) => {
      expect(await page.title()).toBe('Dates come out a month late')
      // A style that the policy had refused would leave the plain one.
      expect(await ask('structure().border')).toBe('4px')
      expect([complaints, requests]).toEqual([[], []])
    })
  })

  test.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(13, 17, 23)'],
  ] as const)('every text has enough contrast in the %s scheme', async (colorScheme, background) => {
    await open(htmlOf(sampleMessages()), { colorScheme }, async ({ ask }) => {
      await ask('openFolds()')
      const found = await ask<{ seen: number }>('contrasts()')
      expect(found).toEqual({ poor: [], seen: expect.any(Number), background })
      expect(found.seen).toBeGreaterThan(100)
    })
  })

  test('Tab reaches the skip link and every fold, and Enter opens one', async () => {
    await open(htmlOf(sampleMessages()), {}, async ({ page, ask }) => {
      await page.keyboard.press('Tab')
      expect(await ask('focus()')).toMatchObject({ text: 'Skip to the messages', inView: true })
      const folds = await page.locator('summary').count()
      const reached = new Set<number>()
      for (let presses = 0; presses < folds * 4 && reached.size < folds; presses++) {
        await page.keyboard.press('Tab')
        const fold = await ask<number>('focus().fold')
        if (fold >= 0) reached.add(fold)
      }
      expect(reached.size).toBe(folds)
      expect(await ask('focus()')).toMatchObject({ open: false, outline: 'solid' })
      await page.keyboard.press('Enter')
      expect(await ask('focus()')).toMatchObject({ open: true })
    })
  })

  test('nothing in a hostile session runs, leaves its place or calls out', async () => {
    await open(htmlOf(hostile, evil), {}, async ({ page, complaints, requests, ask }) => {
      await ask('openFolds()')
      expect(await ask('foreign()')).toEqual({ ran: undefined, elements: [], attributes: [], links: [], articles: 4 })
      expect(await page.locator('.text').first().textContent()).toContain(`<script>window.ran = 'script'</script>`)
      expect([complaints, requests]).toEqual([[], []])
    })
  })

  test('a picture of the session is shown', async () => {
    const pixel = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    await open(htmlOf([said(0, 'see', [{ type: 'file', mime: 'image/png', url: pixel, filename: 'a "dot"' }])]), {}, async ({ complaints, ask }) => {
      expect(await ask('picture()')).toEqual({ words: 'a "dot"', width: 1 })
      expect(complaints).toEqual([])
    })
  })

  test('it fits a telephone: nothing but the drawing and the table scroll sideways', async () => {
    const output = called({ tool: 'bash', input: { command: 'y'.repeat(3_000) }, title: 'z'.repeat(900), output: 'w'.repeat(9_000), at: 2, took: 1 })
    const wide = [...sampleMessages(), ...hostile, said(1, 'x'.repeat(5_000)), answered(2, [output], { took: 1 })]
    await open(htmlOf(wide), { viewport: { width: 360, height: 640 } }, async ({ ask }) => {
      await ask('openFolds()')
      expect(await ask('width()')).toBe(360)
    })
  })

  test('the timeline has a row for each step, whose bars lie inside it and say what they are', async () => {
    await open(htmlOf(sampleMessages()), {}, async ({ page, ask }) => {
      const drawing = page.locator('header svg[role=img]')
      expect(await drawing.locator('.step').count()).toBe(6)
      expect(await drawing.locator('.call, .failed').count()).toBe(6)
      expect(await ask('outside()')).toBe(0)
      expect(await drawing.locator('.think title').first().textContent()).toBe('Step 1: openai/gpt-5.4, 2.7 s')
    })
  })

  test('on paper the folds are open, in the colours of the light scheme', async () => {
    await open(htmlOf(sampleMessages()), { colorScheme: 'dark' }, async ({ page, ask }) => {
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      expect(await ask('paper()')).toEqual({ visible: true, background: 'rgb(255, 255, 255)' })
    })
  })

  test('its parts are landmarks, its headings follow each other, and every name is its own', async () => {
    await open(htmlOf(sampleMessages()), {}, async ({ page, ask }) => {
      expect(await page.locator('body').ariaSnapshot()).toMatch(/- banner:[\s\S]*- navigation "Sessions":[\s\S]*- main:[\s\S]*- contentinfo:/)
      const { levels, ids } = await ask<{ levels: number[]; ids: string[] }>('structure()')
      expect(levels[0]).toBe(1)
      expect(levels.every((level, index) => index === 0 || level <= (levels[index - 1] ?? 0) + 1)).toBe(true)
      expect(new Set(ids).size).toBe(ids.length)
    })
  })
})
