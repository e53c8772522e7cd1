import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endsOf, fits, type Keep, shorten, truncator } from '../../src/tool/truncate.ts'
import { tempFolder } from '../support/closing.ts'

const hundred = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n')
const bounds = { lines: 10, bytes: 51_200 }

describe('the truncator', () => {
  it('leaves what fits as it is and saves nothing', async () => {
    expect(await truncator('/nowhere')('short\n')).toEqual({ text: 'short\n', truncated: false })
    expect((await truncator('/nowhere')('x\n'.repeat(2_000))).truncated).toBe(false)
    expect((await truncator('/nowhere')('x'.repeat(51_200))).truncated).toBe(false)
  })

  it('cuts at 2,000 lines or 51,200 bytes', async () => {
    const folder = tempFolder()
    expect((await truncator(folder)('x\n'.repeat(2_001))).text).toContain('...1 line, 2 of 4002 bytes truncated...')
    expect((await truncator(folder)('x'.repeat(51_201))).text).toContain('...1 of 51201 bytes truncated...')
  })

  it('keeps the head, the tail or both, and says what is missing and where to read on', async () => {
    const folder = tempFolder()
    for (const [keep, first, last] of [
      ['head', /^line 0\n/, /\nline 9\n\n\.\.\.90 lines, 719 of 789 bytes truncated\.\.\.\n\n[^\n]*$/],
      ['tail', /^\.\.\.90 lines, .* truncated/, /\n\nline 90\n.*\nline 99$/s],
      ['both', /^line 0\n.*\nline 4\n\n\.\.\.90 lines/s, /\n\nline 95\n.*\nline 99$/s],
    ] as const) {
      const { text, file } = await truncator(folder, bounds)(hundred, keep)
      expect(text).toMatch(first)
      expect(text).toMatch(last)
      expect(text).toContain(`Full output: ${file}`)
      expect(readFileSync(String(file), 'utf8')).toBe(hundred)
    }
  })

  it('shows part of a single line that is too long', async () => {
    const { text } = await truncator(tempFolder(), { lines: 10, bytes: 20 })('a'.repeat(15) + 'z'.repeat(30), 'both')
    expect(text).toMatch(/^a{10}\n\n\.\.\.25 of 45 bytes truncated\.\.\.[^z]*\n\nz{10}$/)
  })

  it('still gives what was kept when the whole cannot be saved', async () => {
    const blocked = join(tempFolder(), 'file')
    writeFileSync(blocked, '')
    const { text, truncated, file } = await truncator(blocked, bounds)(hundred)
    expect(text).toMatch(/^line 0\n.*The rest could not be saved/s)
    expect({ truncated, file }).toEqual({ truncated: true, file: undefined })
  })

  it('never exceeds its limits, never cuts a character, and saves exactly what it was given', async () => {
    const folder = tempFolder()
    const text = fc.array(fc.constantFrom('a', 'é', '漢', '😀', '\n', '\r\n', 'word ', ''), { maxLength: 200 }).map((parts) => parts.join(''))
    const limits = fc.record({ lines: fc.integer({ min: 1, max: 12 }), bytes: fc.integer({ min: 4, max: 80 }) })
    await fc.assert(
      fc.asyncProperty(text, limits, fc.constantFrom<Keep>('head', 'tail', 'both'), async (whole, within, keep) => {
        const result = await truncator(folder, within)(whole, keep)
        expect(result.truncated).toBe(!fits(endsOf(whole), within))
        if (!result.truncated) {
          expect(result.text).toBe(whole)
          return
        }
        expect(readFileSync(String(result.file), 'utf8')).toBe(whole)
        const [head = '', tail = ''] = shorten(endsOf(whole), keep, 'HINT', within).split(/(?:^|\n\n)\.\.\.[^\n]*truncated\.\.\.\n\nHINT(?:\n\n|$)/)
        expect(result.text.isWellFormed() && !result.text.includes('\uFFFD')).toBe(true)
        expect(whole.startsWith(head)).toBe(true)
        expect(whole.endsWith(tail)).toBe(true)
        const kept = [head, tail].map(endsOf)
        expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(within.bytes)
        expect(kept.reduce((sum, { lines }) => sum + lines, 0)).toBeLessThanOrEqual(within.lines)
      }),
      { numRuns: 300 },
    )
  })
})
