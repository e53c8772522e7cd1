import { resolve } from 'node:path'
import type { Node, Parser } from 'web-tree-sitter'
import { prefixPattern } from './shell-commands-arity.ts'
import { bashParser } from './shell-commands-parser.ts'
import { type Known, programOf, type Word, wordOf } from './shell-commands-words.ts'
import { type Inner, innerOf } from './shell-commands-wrappers.ts'

/** What a command line would run and touch. */
export interface Commands {
  /** Source of every simple command, with its redirections, however deep it is nested. Changing the folder is none. */
  readonly simple: readonly string[]
  /** The same commands spelled plainly, where that differs: without quotes, folder of the program, assignments and redirections. */
  readonly spellings: readonly string[]
  /** Pattern that covers each command and its like. */
  readonly always: readonly string[]
  /** Absolute paths of what is redirected to or from, and of the arguments of commands that deal with files. */
  readonly paths: readonly string[]
  /** Why it cannot be told what runs, in words that follow "because". */
  readonly unclear: readonly string[]
}

export interface Place {
  /** Folder with the parser's files. */
  readonly assets: string
  /** Where the command starts. */
  readonly directory: string
  readonly home?: string
}

const changesFolder = new Set(['cd', 'chdir', 'pushd', 'popd'])
const dealsWithFiles = new Set(['cd', 'chdir', 'pushd', 'rm', 'rmdir', 'cp', 'mv', 'ln', 'mkdir', 'touch', 'chmod', 'chown', 'cat', 'tee'])
/** What runs in a shell of its own: changing the folder there changes nothing outside. */
const ownShell = new Set(['subshell', 'command_substitution', 'process_substitution', 'function_definition'])
const maxDepth = 5

/** The folder commands run in as the line goes on; undefined after a change that cannot be followed. */
interface Scope {
  folder: string | undefined
}

/**
 * Takes a command line apart with a parser for bash (the engine's description 3.3): substitutions, here-documents, functions, and what `bash -c`,
 * `eval`, `xargs`, `env`, `sudo`, `find -exec` and the like run in turn.
 */
export async function commandsIn(command: string, place: Place): Promise<Commands> {
  const reader = new Reader(await bashParser(place.assets), place.home)
  reader.script(command, { folder: place.directory }, 0)
  return reader.result()
}

class Reader {
  readonly #parser: Parser
  readonly #known: Known
  readonly #home: string | undefined
  readonly #simple = new Set<string>()
  readonly #spellings = new Set<string>()
  readonly #always = new Set<string>()
  readonly #paths = new Set<string>()
  readonly #unclear = new Set<string>()

  constructor(parser: Parser, home: string | undefined) {
    this.#parser = parser
    this.#home = home
    this.#known = home === undefined ? {} : { HOME: home }
  }

  result(): Commands {
    const spellings = [...this.#spellings].filter((text) => !this.#simple.has(text))
    return { simple: [...this.#simple], spellings, always: [...this.#always], paths: [...this.#paths], unclear: [...this.#unclear] }
  }

  script(text: string, scope: Scope, depth: number): void {
    const tree = depth > maxDepth ? null : this.#parser.parse(text)
    if (!tree || tree.rootNode.hasError) this.#unclear.add(depth > maxDepth ? 'commands are nested too deeply' : 'it could not be read as bash')
    if (!tree) return
    try {
      this.#walk(tree.rootNode, scope, depth)
    } finally {
      tree.delete()
    }
  }

  #walk(node: Node, scope: Scope, depth: number, redirects: readonly Node[] = []): void {
    if (node.type === 'command') this.#command(node, scope, depth, redirects)
    else if (node.type === 'redirected_statement') this.#redirected(node, scope, depth)
    else this.#others(node, scope, depth, redirects)
  }

  #others(node: Node, scope: Scope, depth: number, redirects: readonly Node[]): void {
    if (node.type === 'file_redirect') this.#redirect(node, scope)
    if (isStatement(node)) this.#simple.add(node.text)
    const children = node.namedChildren
    for (const [at, child] of children.entries()) {
      const inner = ownShell.has(child.type) || node.type === 'pipeline' ? { ...scope } : scope
      // What a list or a pipeline as a whole is redirected to belongs to its last command.
      this.#walk(child, inner, depth, at === children.length - 1 && passesOn(node) ? redirects : [])
    }
  }

  #redirected(node: Node, scope: Scope, depth: number): void {
    const redirects = node.childrenForFieldName('redirect')
    const body = node.childForFieldName('body')
    if (body) this.#walk(body, ownShell.has(body.type) ? { ...scope } : scope, depth, redirects)
    else this.#simple.add(node.text)
    for (const redirect of redirects) this.#walk(redirect, scope, depth)
  }

  #command(node: Node, scope: Scope, depth: number, outer: readonly Node[]): void {
    const name = node.childForFieldName('name')
    const redirects = [...node.childrenForFieldName('redirect'), ...outer]
    const late = outer.filter(({ type }) => type === 'heredoc_redirect').flatMap((each) => each.childrenForFieldName('argument'))
    const parts = [...(name ? [name] : []), ...node.childrenForFieldName('argument'), ...late]
    const { text, startIndex } = node
    const gaps = parts.slice(1).map((part, at) => text.slice((parts[at]?.endIndex ?? 0) - startIndex, part.startIndex - startIndex))
    if (gaps.some(isContinued)) this.#unclear.add('a word goes on after a line break')
    const words = parts.map((each) => wordOf(each, this.#known))
    const source = [text, ...outer.map((each) => each.text)].join(' ')
    const before = { ...scope }
    this.#run(words, source, { scope, depth, redirects })
    for (const child of node.namedChildren) this.#walk(child, { ...before }, depth)
  }

  #run(words: readonly Word[], source: string, context: { scope: Scope; depth: number; redirects: readonly Node[] }): void {
    const [first, ...rest] = words
    if (!first) {
      this.#simple.add(source)
      return
    }
    const program = programOf(first)
    if (program !== undefined && dealsWithFiles.has(program)) for (const word of rest) this.#argument(word, context.scope)
    if (program !== undefined && changesFolder.has(program)) {
      this.#change(program, rest, context.scope)
      return
    }
    this.#simple.add(source)
    this.#spellings.add([program ?? first.text, ...rest.map(({ value, text }) => value ?? text)].join(' '))
    this.#always.add(prefixPattern(words))
    for (const inner of innerOf(words)) this.#inner(inner, first.text, context)
  }

  #inner(inner: Inner, name: string, { scope, depth, redirects }: { scope: Scope; depth: number; redirects: readonly Node[] }): void {
    if (inner.kind === 'command') this.#run(inner.words, inner.words.map(({ text }) => text).join(' '), { scope, depth, redirects })
    else if (inner.kind === 'script') this.script(inner.text, { ...scope }, depth + 1)
    else if (inner.kind === 'unknown') this.#unclear.add(`what \`${name}\` runs is decided only when it runs`)
    else {
      const inputs = redirects.flatMap((each) => this.#input(each) ?? [])
      if (inputs.length === 0) this.#unclear.add(`\`${name}\` runs what it is given as input`)
      for (const input of inputs) this.script(input, { ...scope }, depth + 1)
    }
  }

  /** The text a here-document or here-string gives to a command. */
  #input(redirect: Node): string | undefined {
    if (redirect.type === 'heredoc_redirect') return redirect.namedChildren.find(({ type }) => type === 'heredoc_body')?.text ?? ''
    const [word] = redirect.type === 'herestring_redirect' ? redirect.namedChildren : []
    return word && wordOf(word, this.#known).value
  }

  #change(program: string, words: readonly Word[], scope: Scope): void {
    const target = words.find(({ value }) => value === undefined || !/^[-+]./.test(value))
    if (program === 'popd' || target?.value === '-' || (target && target.value === undefined)) scope.folder = undefined
    else scope.folder = this.#resolved(target?.value ?? '~', scope)
  }

  #redirect(node: Node, scope: Scope): void {
    const [target] = node.childrenForFieldName('destination')
    if (!target) return
    const operator = node.children.find(({ isNamed }) => !isNamed)?.type ?? ''
    if (operator.includes('&') && /^\d+-?$/.test(target.text)) return
    const { value } = wordOf(target, this.#known)
    if (value !== undefined && !isDevice(value)) this.#path(value, scope)
  }

  #argument({ value }: Word, scope: Scope): void {
    if (value !== undefined && value !== '' && !value.startsWith('-')) this.#path(value, scope)
  }

  #path(value: string, scope: Scope): void {
    const path = this.#resolved(value, scope)
    if (path !== undefined) this.#paths.add(path)
  }

  /** An absolute path, or one that starts with `~` where no home is known. */
  #resolved(value: string, { folder }: Scope): string | undefined {
    if (value === '~' || value.startsWith('~/')) return this.#home === undefined ? value : resolve(this.#home, `.${value.slice(1)}`)
    if (value.startsWith('~')) return value
    return value.startsWith('/') ? resolve(value) : folder === undefined || folder.startsWith('~') ? undefined : resolve(folder, value)
  }
}

/** Bash joins what a backslash at the end of a line parts; to the parser these are two words. */
function isContinued(between: string): boolean {
  return /^(?:\\\n)+$/.test(between)
}

function isDevice(path: string): boolean {
  return /^\/dev\/(null|zero|tty|stdin|stdout|stderr|u?random|fd\/\d+)$/.test(path)
}

/** Statements that run no program and can still change what later ones run: `export PATH=…`. */
function isStatement(node: Node): boolean {
  if (['declaration_command', 'unset_command', 'variable_assignments'].includes(node.type)) return true
  return (
    node.type === 'variable_assignment' &&
    !['command', 'declaration_command', 'variable_assignments', 'c_style_for_statement'].includes(node.parent?.type ?? '')
  )
}

function passesOn({ type }: Node): boolean {
  return type === 'list' || type === 'pipeline' || type === 'negated_command'
}
