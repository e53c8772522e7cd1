import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeConfig } from '../../src/config/merge.ts'
import { parseConfig } from '../../src/config/parse.ts'
import { ConfigForm } from '../../src/config/schema.ts'
import { Failure } from '../../src/failure.ts'

const parse = (text: string, env = {}) => parseConfig({ name: 'opencode.json', text, folder: '' }, ConfigForm, env, new Map())

/** Text that is nearly a configuration. */
const almost = fc
  .array(
    fc.oneof(
      fc.constantFrom('{', '}', '[', ']', ':', ',', '//', '/*', '*/', '\n', '"', '{env:HOME}', '{file:x}', '{env:', '\\', '\\u', 'null', 'true', '1e999'),
      fc.constantFrom('"model"', '"a/b"', '"agent"', '"mcp"', '"permission"', '"__proto__"', '"plugin"', '"tools"', '"compaction"', '"skills"'),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(''))

const accepted = (text: string): boolean => {
  try {
    parse(text, { HOME: '"}{' })
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(Failure)
    expect(error).toMatchObject({ name: 'ConfigError' })
    return false
  }
}

test('whatever a file holds, it is read or refused with a ConfigError', () => {
  fc.assert(fc.property(fc.oneof(almost, fc.string(), fc.json()), (text) => typeof accepted(text) === 'boolean'))
})

test('any JSON under any known key is read or refused with a ConfigError', () => {
  const keys = fc.constantFrom(...Object.keys(ConfigForm.shape), 'agents', 'commands', 'unknown')
  fc.assert(fc.property(fc.dictionary(keys, fc.jsonValue(), { maxKeys: 4 }), (config) => typeof accepted(JSON.stringify(config)) === 'boolean'))
})

test('nesting that would end a parser is refused', () => {
  expect(accepted('['.repeat(200_000))).toBe(false)
  expect(accepted(`{"agent":${'{"a":'.repeat(100_000)}`)).toBe(false)
})

test('a value of the environment adds no key, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (value) => {
      const { value: config } = parse('{"provider": {"x": {"options": {"apiKey": "{env:V}"}}}}', { V: value })
      expect(config).toEqual({ provider: { x: { options: { apiKey: value.trim() } } } })
    }),
  )
})

test('C148 no key changes what an object is', () => {
  const { value } = parse('{"agent": {"\\u005f_proto__": {"mode": "primary"}, "constructor": {"prompt": "x"}}}')
  expect(Object.hasOwn(value, 'agent')).toBe(true)
  expect(Object.keys(Object.getPrototypeOf(value.agent))).toEqual([])
  expect(JSON.stringify(value)).toBe('{"agent":{"constructor":{"prompt":"x"}}}')
  expect(JSON.stringify(mergeConfig(value, value))).toBe(JSON.stringify(value))
})

test('a word that is none of those allowed is told with its place and the words that are', () => {
  const words = 'has none of the allowed forms; a word must be one of "allow", "ask", "deny"'
  expect(() => parse('{\n  "permission": { "bash": "alow" }\n}')).toThrow(`opencode.json:2:19: permission.bash ${words}`)
  expect(() => parse('{ "permission": { "bash": { "git *": "never" } } }')).toThrow(/permission\.bash\.git \* .*"allow"/)
})

const plain = fc.dictionary(
  fc.oneof(fc.constantFrom('a', 'b', 'instructions', 'plugin', 'permission', 'constructor'), fc.string({ maxLength: 3 })),
  fc.oneof(
    fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }),
    fc.constantFrom('allow', 'deny'),
    fc.dictionary(fc.string({ maxLength: 2 }), fc.jsonValue({ maxDepth: 2 })),
  ),
  { maxKeys: 5, noNullPrototype: true },
)

test('laying the same configuration over another twice changes nothing more', () => {
  fc.assert(
    fc.property(plain, plain, (under, over) => {
      const once = mergeConfig(under, over)
      expect(JSON.stringify(mergeConfig(once, over))).toBe(JSON.stringify(once))
    }),
  )
})

test('a key keeps the position it was first written at', () => {
  const merged = mergeConfig({ permission: { '*': 'allow', bash: 'allow' } }, { permission: { bash: 'deny', read: 'deny', '*': 'ask' } })
  expect(JSON.stringify(merged)).toBe('{"permission":{"*":"ask","bash":"deny","read":"deny"}}')
})
