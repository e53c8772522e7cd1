import type { Assistant, Part, Session, Tokens, WithParts } from '../../src/session/message.ts'

/** Conversations for the tests of what is shown of one, and for the picture in the docs. */
const model = { providerID: 'openai', modelID: 'gpt-5.4' }
const began = Date.UTC(2026, 4, 4, 9, 30)

export function sampleSession(change: Partial<Session> = {}): Session {
  return {
    id: 'ses_sample',
    title: 'Dates come out a month late',
    agent: 'build',
    model,
    created: began,
    todos: [],
    handled: [],
    usage: { steps: 6, tokens: { input: 11_300, output: 1_330, reasoning: 260, cache: { read: 30_900, write: 0 } }, cost: 0.024 },
    ...change,
  }
}

let ids = 0
const nextId = (kind: string) => `${kind}_${String(++ids).padStart(6, '0')}`

/** A part without the ids that every part has. */
type Bare<T> = T extends unknown ? Omit<T, 'id' | 'messageID'> : never
export type BarePart = Bare<Part>

function withIds(parts: readonly BarePart[], messageID: string): Part[] {
  return parts.map((part) => ({ ...part, id: nextId('prt'), messageID }))
}

/** What a person wrote, at seconds after the session began. */
export function said(at: number, text: string, more: readonly BarePart[] = []): WithParts {
  const id = nextId('msg')
  const source = { kind: 'comment', id: 77, author: 'alice', url: 'https://github.test/octo/day-by-day/issues/12#issuecomment-77' } as const
  return {
    info: { role: 'user', id, time: { created: began + at * 1_000 }, agent: 'build', model, source },
    parts: withIds([{ type: 'text', text }, ...more], id),
  }
}

interface Answer {
  readonly took: number
  readonly tokens?: Partial<Tokens>
  readonly cost?: number
  readonly info?: Partial<Assistant>
}

/** What the model answered in one step, at seconds after the session began. */
export function answered(at: number, parts: readonly BarePart[], { took, tokens, cost = 0.004, info = {} }: Answer): WithParts {
  const id = nextId('msg')
  const created = began + at * 1_000
  const used = { input: 900, output: 220, reasoning: 60, cache: { read: 5_200, write: 0 }, ...tokens }
  return {
    info: {
      role: 'assistant',
      id,
      parentID: 'msg_0',
      time: { created, completed: created + took * 1_000 },
      agent: 'build',
      model,
      tokens: used,
      cost,
      ...info,
    },
    parts: withIds(
      [
        { type: 'step-start' },
        ...parts,
        { type: 'step-finish', reason: parts.some(({ type }) => type === 'tool') ? 'tool-calls' : 'stop', tokens: used, cost },
      ],
      id,
    ),
  }
}

interface Call {
  readonly tool: string
  readonly input: Record<string, unknown>
  readonly output?: string
  readonly error?: string
  readonly title?: string
  /** Seconds after the session began, and how many. */
  readonly at: number
  readonly took: number
}

/** A finished tool call. */
export function called({ tool, input, output = '', error, title = '', at, took }: Call): BarePart {
  const time = { start: began + at * 1_000, end: began + (at + took) * 1_000 }
  const state =
    error === undefined ? { status: 'completed' as const, input, output, title, metadata: {}, time } : { status: 'error' as const, input, error, time }
  return { type: 'tool', callID: nextId('call'), tool, state }
}

/** A session in which a bug is found and mended. */
export function sampleMessages(): WithParts[] {
  return [
    said(0, 'The dates come out a month late: `parseDate("2024-03-01")` gives 1 April. Please mend it.'),
    answered(
      1,
      [
        { type: 'reasoning', text: 'I have to see how the months are counted.', time: { start: began, end: began } },
        called({
          tool: 'grep',
          input: { pattern: 'parseDate' },
          title: 'parseDate',
          output: 'src/date.js:3: export function parseDate(text) {',
          at: 3.4,
          took: 0.2,
        }),
      ],
      { took: 2.7 },
    ),
    answered(
      3.8,
      [
        called({
          tool: 'read',
          input: { filePath: 'src/date.js' },
          title: 'src/date.js',
          output:
            '1: export function parseDate(text) {\n2:   const [year, month, day] = text.split("-").map(Number)\n3:   return new Date(year, month, day)\n4: }',
          at: 5.9,
          took: 0.1,
        }),
        called({ tool: 'bash', input: { command: 'node --test' }, title: 'node --test', output: '# pass 3\n# fail 2\n(exit code 1)', at: 5.9, took: 1.6 }),
      ],
      { took: 3.8 },
    ),
    answered(
      7.7,
      [
        called({
          tool: 'edit',
          input: {
            filePath: 'src/date.js',
            oldString: '  const [year, month, day] = text.split("-").map(Number)\n  return new Date(year, month, day)',
            newString: '  const [year, month, day] = text.split("-").map(Number)\n  return new Date(year, month - 1, day)',
          },
          title: 'src/date.js',
          output: 'Edited src/date.js, line 3 (+1 -1 lines).',
          at: 10.1,
          took: 0.1,
        }),
      ],
      { took: 2.6, tokens: { input: 400, cache: { read: 6_300, write: 0 } } },
    ),
    answered(
      10.4,
      [
        called({
          tool: 'bash',
          input: { command: 'node --test test/dates.test.js' },
          title: 'node --test test/dates.test.js',
          error: 'The command was refused: test/dates.test.js is not there.',
          at: 12,
          took: 0.3,
        }),
        called({ tool: 'bash', input: { command: 'node --test' }, title: 'node --test', output: '# pass 5\n# fail 0\n(exit code 0)', at: 12, took: 1.7 }),
      ],
      { took: 3.4, tokens: { input: 500, cache: { read: 6_800, write: 0 } } },
    ),
    answered(
      13.9,
      [
        {
          type: 'text',
          text: 'Months are counted from 0 in `Date`; `parseDate` now takes one off:\n\n```js\nreturn new Date(year, month - 1, day)\n```\n\nAll five tests pass.',
        },
      ],
      { took: 2.1, tokens: { input: 300, output: 410, reasoning: 0, cache: { read: 7_400, write: 0 } } },
    ),
    said(3_600, 'Thank you! Does it refuse 31 February?'),
    answered(3_601, [{ type: 'text', text: 'Not yet: it becomes 2 March.' }], {
      took: 1.9,
      tokens: { input: 8_300, output: 40, reasoning: 20, cache: { read: 0, write: 0 } },
    }),
  ]
}
