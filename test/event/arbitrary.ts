import fc from 'fast-check'

const marks = [
  '`',
  '```',
  '~~~',
  '> ',
  '- ',
  '1. ',
  '    ',
  '*',
  '_',
  '[',
  ']',
  '(',
  ')',
  '<!--',
  '-->',
  '<div>',
  '</pre>',
  '<code>',
  '<',
  '|',
  '|---|',
  '\\',
  '&amp;',
  '#',
  '"',
]
const white = ['\n', '\n\n', '\t', ' ', '\r', '\u0000', '\ufeff']
const calls = ['/opencode', '/oc', ' /oc ', '\n\n/opencode ']

/** Text made of trigger words and of everything that has a meaning in Markdown, mostly malformed. */
export const markdown = fc
  .array(fc.oneof(fc.constantFrom(...calls), fc.constantFrom(...marks), fc.constantFrom(...white), fc.string({ maxLength: 4, unit: 'grapheme' })), {
    maxLength: 40,
  })
  .map((pieces) => pieces.join(''))
