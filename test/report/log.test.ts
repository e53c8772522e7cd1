import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLog, type Log } from '../../src/report/log.ts'
import { createRedactor } from '../../src/report/redact.ts'

function record(act: (log: Log) => void, secrets: readonly string[] = []): string[] {
  const lines: string[] = []
  act(createLog((line) => lines.push(line), createRedactor(secrets)))
  return lines
}
/** As the runner reads: a line that begins with `::` after blanks, or holds `##[`. */
const isCommand = (line: string): boolean => /^[\s\p{Cc}\p{Cf}]*::/u.test(line) || line.includes('##[')

test.each([
  ['::error::x', [': :error::x']],
  ['  ::add-mask::a', ['  : :add-mask::a']],
  ['a\r::stop-commands::t\nb', ['a', ': :stop-commands::t', 'b']],
  ['text ##[group]y', ['text # #[group]y']],
  ['###[warning]', ['## #[warning]']],
  ['\u001b[31m::error::x\u001b[0m', [': :error::x']],
  ['a\u2028::error::x\u0085::error::y', ['a', ': :error::x', ': :error::y']],
  ['\u200b::error::x', [': :error::x']],
  ['time 10::20 a::b', ['time 10::20 a::b']],
])('C145 %j is only text to the runner', (text, expected) => {
  expect(record((log) => log.info(text))).toEqual(expected)
})

const nasty = fc.array(
  fc.oneof(
    fc.constantFrom(
      '::error::x',
      '::',
      ':',
      '##[',
      '#',
      '[',
      '\r',
      '\n',
      '\u2028',
      '\u0085',
      '\u000b',
      '\u001b[1m',
      '\u001b]0;t\u0007',
      '\u200b',
      '\ufeff',
      '\u0000',
      ' ',
      '\t',
      '%0A',
      'set-output',
    ),
    fc.string(),
  ),
  { maxLength: 20 },
)

test('C145 no text becomes a command, and no line holds a line break', () => {
  fc.assert(
    fc.property(nasty, (pieces) => {
      for (const line of record((log) => log.info(pieces.join('')))) {
        expect(isCommand(line)).toBe(false)
        expect(line).not.toMatch(/[\n\r]/)
      }
    }),
  )
})

test('an annotation is exactly one command, whatever its text and title', () => {
  fc.assert(
    fc.property(nasty, nasty, fc.constantFrom('notice' as const, 'warning' as const, 'error' as const), (text, title, command) => {
      const lines = record((log) => log[command](text.join(''), title.join('')))
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatch(new RegExp(`^::${command} title=[^:,]*::[^\\n\\r]*$`, 'u'))
      expect(lines[0]).not.toContain('##[')
    }),
  )
})

test('annotations and groups are written as the runner wants them', () => {
  const lines = record((log) => {
    log.group('Step 1\n::x')
    log.notice('100% done\nsecond line')
    log.warning('careful')
    log.error('bad', 'Model: a, b')
    log.endGroup()
  })
  expect(lines).toEqual([
    '::group::Step 1 : :x',
    '::notice::100%25 done%0Asecond line',
    '::warning::careful',
    '::error title=Model%3A a%2C b::bad',
    '::endgroup::',
  ])
})

test('C140 secrets do not reach the log, nor do they with invisible characters inside', () => {
  const lines = record(
    (log) => {
      log.info('key=my-secret-key')
      log.error('my-se\u200bcret-\u001b[1mkey failed', 'my-secret-key')
    },
    ['my-secret-key'],
  )
  expect(lines).toEqual(['key=[redacted]', '::error title=[redacted]::[redacted] failed'])
})
