import type { Node } from 'web-tree-sitter'

/** One word of a command: its source, and what bash makes of it where that can be told without running anything. */
export interface Word {
  readonly text: string
  /** Undefined: it depends on variables or on what other commands print. */
  readonly value: string | undefined
  /** What other commands print is handed over as a file: `<(…)`. */
  readonly substitution?: boolean
}

/** Values of variables that are known from the start. */
export type Known = Readonly<Record<string, string>>

/** A word of the syntax tree. */
export function wordOf(node: Node, known: Known): Word {
  return { text: node.text, value: meaning(node, known), ...(node.type === 'process_substitution' ? { substitution: true } : {}) }
}

function meaning(node: Node, known: Known): string | undefined {
  switch (node.type) {
    case 'word':
      return node.text.replaceAll(/\\(\n|.)/gs, (_, next: string) => (next === '\n' ? '' : next))
    case 'number':
    case 'string_content':
    case 'variable_name':
      return node.text
    case 'raw_string':
      return node.text.slice(1, -1)
    case 'ansi_c_string':
      return ansi(node.text.slice(2, -1))
    case 'string':
      return quoted(node, known)
    case 'simple_expansion':
      return known[node.text.slice(1)]
    case 'expansion':
      return known[node.text.slice(2, -1)]
    case 'command_name':
    case 'concatenation':
      return joined(node, known)
    default:
      return node.isNamed ? undefined : node.text
  }
}

/** The values of the parts, where these are the whole of the word. */
function joined(node: Node, known: Known): string | undefined {
  const values: string[] = []
  let at = node.startIndex
  for (const part of node.children) {
    const value = meaning(part, known)
    if (value === undefined || part.startIndex !== at) return undefined
    values.push(value)
    at = part.endIndex
  }
  return at === node.endIndex ? values.join('') : undefined
}

function quoted(node: Node, known: Known): string | undefined {
  let value = node.text.replace(/^\$?"/, '').slice(0, -1)
  for (const part of node.namedChildren) {
    if (part.type === 'string_content') continue
    const inner = meaning(part, known)
    if (inner === undefined) return undefined
    value = value.replace(part.text, () => inner)
  }
  return value.replaceAll(/\\([\\"$`\n])/g, (_, next: string) => (next === '\n' ? '' : next))
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', v: '\v' }

function ansi(text: string): string {
  return text.replaceAll(/\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|U([0-9a-f]{1,6})|([0-7]{1,3})|(.))/gis, (_, hex, short, long, octal, other: string) => {
    const code = hex ?? short ?? long
    if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff))
    return octal === undefined ? (escapes[other] ?? other) : String.fromCodePoint(Number.parseInt(octal, 8))
  })
}

/**
 * The program a word names, without its folder: `rm` for `/bin/rm` and for `"$DIR"/rm`. Undefined where it is decided when the command runs:
 * by a variable, by a pattern or by braces.
 */
export function programOf({ text, value }: Word): string | undefined {
  if (value === undefined) return /\/([\w.+-]+)["']?$/.exec(text)?.[1]
  if (value !== '[' && /[*?[\]{}]/.test(text)) return undefined
  return value.slice(value.lastIndexOf('/') + 1)
}
