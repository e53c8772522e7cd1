import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transcriptPage } from '../src/report/transcript/page.ts'
import { startBrowser } from '../test/report/browser.ts'
import { sampleMessages, sampleSession } from '../test/report/sample-session.ts'

/** Takes `docs/transcript.png`: the transcript page of a scripted session in a real Chromium. `node scripts/transcript-picture.ts` */
const file = fileURLToPath(new URL('../docs/transcript.png', import.meta.url))
/** Bytes that a picture in the repository may have. */
const most = 200_000

const html = transcriptPage([{ session: sampleSession(), messages: sampleMessages() }], {
  redact: (text) => text,
  runUrl: 'https://github.com/octo/day-by-day/actions/runs/1',
})
const browser = await startBrowser()
try {
  const page = await browser.newPage({ viewport: { width: 960, height: 1240 } })
  await page.setContent(html)
  // The edit is what a reader looks for first.
  await page
    .locator('details.tool', { has: page.locator('.diff') })
    .locator('summary')
    .click()
  await page.locator('h1').click()
  await page.screenshot({ path: file })
} finally {
  await browser.close()
}
const { size } = statSync(file)
if (size > most) throw new Error(`docs/transcript.png has ${size} bytes, more than ${most}.`)
console.log(`docs/transcript.png, ${size} bytes`)
