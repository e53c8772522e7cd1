import { programOf, type Word } from './shell-commands-words.ts'

/** What a command makes run besides itself. */
export type Inner =
  | { readonly kind: 'command'; readonly words: readonly Word[] }
  /** A text that is run by a shell. */
  | { readonly kind: 'script'; readonly text: string }
  /** Its standard input is run by a shell. */
  | { readonly kind: 'stdin' }
  /** Something that is only known when it runs. */
  | { readonly kind: 'unknown' }

/** Programs that run the command they are given: their options with a value (letters, long names), and how many words come before the command. */
const wrappers: Readonly<Record<string, { letters?: string; long?: readonly string[]; before?: number }>> = {
  sudo: { letters: 'ughpCrtTUDR', long: ['user', 'group', 'host', 'prompt', 'close-from', 'role', 'type', 'other-user', 'chdir', 'chroot'] },
  doas: { letters: 'uC' },
  env: { letters: 'uC', long: ['unset', 'chdir'] },
  command: {},
  builtin: {},
  exec: { letters: 'a' },
  nohup: {},
  setsid: {},
  time: { letters: 'fo', long: ['format', 'output'] },
  nice: { letters: 'n', long: ['adjustment'] },
  ionice: { letters: 'cn', long: ['class', 'classdata'] },
  timeout: { letters: 'sk', long: ['signal', 'kill-after'], before: 1 },
  stdbuf: { letters: 'ioe', long: ['input', 'output', 'error'] },
  xargs: { letters: 'IaEdLnPs', long: ['arg-file', 'delimiter', 'max-lines', 'max-args', 'max-procs', 'max-chars', 'replace'] },
  chroot: { before: 1 },
  coproc: {},
  busybox: {},
  toybox: {},
}
const shells = new Set(['bash', 'sh', 'dash', 'zsh', 'ksh', 'ash', 'mksh', 'rbash'])
const shellOptions = new Set(['-o', '+o', '-O', '+O', '--rcfile', '--init-file'])
/** Names under which standard input, or another open file, can be read. */
const inputFiles = /^\/(dev\/(stdin|fd\/\d+)|proc\/(self|thread-self|\d+)\/fd\/\d+)$/
const assignment = /^[A-Za-z_]\w*\+?=/

/** What a simple command, without its assignments, makes run besides itself. */
export function innerOf(words: readonly Word[]): readonly Inner[] {
  const [first, ...rest] = words
  const program = first && programOf(first)
  if (program === undefined) return first ? [{ kind: 'unknown' }] : []
  if (shells.has(program)) return shell(rest)
  if (program === 'su' || program === 'runuser') return optionScript(rest)
  if (program === 'eval') return script(rest)
  if (program === 'watch') return watched(rest)
  if (program === 'trap') return trap(rest)
  if (program === 'source' || program === '.') return sourced(rest)
  if (program === 'find') return found(rest)
  if (program === 'env') {
    const split = rest.findIndex(({ value }) => value !== undefined && /^(-S|--split-string)/.test(value))
    if (split !== -1) return splitString(rest.slice(split))
  }
  const known = Object.hasOwn(wrappers, program) ? wrappers[program] : undefined
  return known ? wrapped(program, rest, known) : []
}

function wrapped(
  program: string,
  words: readonly Word[],
  { letters = '', long = [], before = 0 }: { letters?: string; long?: readonly string[]; before?: number },
): readonly Inner[] {
  let at = 0
  let left = before
  for (; at < words.length; at += 1) {
    const value = words[at]?.value
    if (value === undefined) break
    if (value === '--') continue
    if (program === 'command' && /^-[vV]/.test(value)) return []
    if (value.startsWith('--')) at += long.includes(value.slice(2)) ? 1 : 0
    else if (value.length > 1 && value.startsWith('-')) at += takesNext(value.slice(1), letters) ? 1 : 0
    else if ((program === 'env' || program === 'sudo') && assignment.test(value)) continue
    else if (left > 0) left -= 1
    else break
  }
  const inner = words.slice(at)
  return inner.length > 0 ? [{ kind: 'command', words: inner }] : []
}

/** Whether a group of option letters ends in one whose value is the next word. */
function takesNext(group: string, letters: string): boolean {
  const at = [...group].findIndex((letter) => letters.includes(letter))
  return at !== -1 && at === group.length - 1
}

function shell(words: readonly Word[]): readonly Inner[] {
  let command = false
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]
    const value = word?.value
    if (word === undefined || value === undefined) return [{ kind: 'unknown' }]
    if (value === '--help' || value === '--version') return []
    if (shellOptions.has(value)) at += 1
    else if (value === '--' || value === '-') continue
    else if (/^[-+]/.test(value)) {
      if (/^-[A-Za-z]*s/.test(value)) return [{ kind: 'stdin' }]
      command ||= /^-[A-Za-z]*c/.test(value)
    } else return command ? [{ kind: 'script', text: value }] : inputFiles.test(value) ? [{ kind: 'stdin' }] : []
  }
  return command ? [] : [{ kind: 'stdin' }]
}

function sourced([file]: readonly Word[]): readonly Inner[] {
  if (file?.substitution) return [{ kind: 'unknown' }]
  return file?.value !== undefined && inputFiles.test(file.value) ? [{ kind: 'stdin' }] : []
}

function script(words: readonly Word[]): readonly Inner[] {
  const values = words.flatMap(({ value }) => (value === undefined ? [] : [value]))
  return values.length < words.length ? [{ kind: 'unknown' }] : [{ kind: 'script', text: values.join(' ') }]
}

function watched(words: readonly Word[]): readonly Inner[] {
  return wrapped('watch', words, { letters: 'n', long: ['interval'] }).flatMap((inner) => (inner.kind === 'command' ? script(inner.words) : []))
}

function optionScript(words: readonly Word[]): readonly Inner[] {
  const at = words.findIndex(({ value }) => value === '-c' || value === '--command')
  const joined = words.find(({ value }) => value?.startsWith('--command='))?.value
  if (joined !== undefined) return [{ kind: 'script', text: joined.slice('--command='.length) }]
  return at === -1 ? [{ kind: 'stdin' }] : script(words.slice(at + 1, at + 2))
}

function trap(words: readonly Word[]): readonly Inner[] {
  const [first] = words.filter(({ value }) => value !== '--')
  if (!first || first.value === '-' || first.value === '' || first.value?.startsWith('-')) return []
  return script([first])
}

function found(words: readonly Word[]): readonly Inner[] {
  return words.flatMap(({ value }, at): Inner[] => {
    if (value === undefined || !['-exec', '-execdir', '-ok', '-okdir'].includes(value)) return []
    const rest = words.slice(at + 1)
    const stop = rest.findIndex((word) => word.value === ';' || word.value === '+')
    return [{ kind: 'command', words: stop === -1 ? rest : rest.slice(0, stop) }]
  })
}

/** `env -S`: the text is cut into words, which may be options of env again. */
function splitString(words: readonly Word[]): readonly Inner[] {
  const first = words[0]?.value ?? ''
  const attached = first.replace(/^(-S|--split-string)=?/, '')
  const rest = words.slice(attached === '' ? 2 : 1)
  const text = attached === '' ? words[1]?.value : attached
  if (text === undefined) return [{ kind: 'unknown' }]
  return [{ kind: 'script', text: ['env', text, ...rest.map((word) => word.text)].join(' ') }]
}
