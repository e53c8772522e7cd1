import chromium from '@sparticuz/chromium'
import { type Browser, chromium as engine } from 'playwright-core'

/** A real Chromium, which is for Linux only. Says what is missing when it can't be started. */
export async function startBrowser(): Promise<Browser> {
  try {
    return await engine.launch({ executablePath: await chromium.executablePath(), headless: true, args: ['--no-sandbox', '--no-zygote'] })
  } catch (error) {
    throw new Error(
      'The Chromium of @sparticuz/chromium could not be started, so the transcript page was not looked at. It needs Linux on x64 and unpacks itself to `chromium` in the temporary folder, which has to allow programs: delete it there if it is broken. "error while loading shared libraries" below names a library to install.',
      { cause: error },
    )
  }
}
