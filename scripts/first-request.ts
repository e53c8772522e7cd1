import { once } from 'node:events'
import { createServer } from 'node:http'
import { z } from 'zod'
import { issueCommentPayload } from '../src/local/github/payloads.ts'
import { createWorld, runAction } from '../src/local/world.ts'

/** One model for each family of prompts, so that every protocol with words of its own is among them. */
export const families = {
  claude: 'anthropic/claude-sonnet-5',
  gemini: 'google/gemini-3.8-flash',
  gpt: 'openai-responses/gpt-5.2',
  codex: 'openai-responses/gpt-5.3-codex',
  reasoning: 'openai-responses/o3',
  default: 'zai/glm-4.6',
} as const

/** A short issue in a small repository. */
const seed = {
  'package.json': '{ "name": "demo", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/date.js': 'export const parse = (text) => new Date(text)\n',
  'test/date.test.js': "import '../src/date.js'\n",
}
const issue = {
  title: 'Dates are off by the time zone',
  body: 'With `TZ=America/New_York`, `parse("2026-03-01")` gives the last day of February.\n\nIt should be midnight UTC, wherever the process runs.',
  author: 'rita',
}

/** A tool as the model is shown it. */
export interface Definition {
  readonly name: string
  readonly description: string
  readonly schema: unknown
}

/** What a model receives first, in one form for all protocols. What differs from run to run is fixed: folders, dates, ids. */
export interface FirstRequest {
  readonly model: string
  readonly path: string
  readonly body: string
  readonly system: string
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  readonly tools: readonly Definition[]
  /** The body with the texts above left out. */
  readonly frame: unknown
  /** Bytes of the definitions as they are sent. */
  readonly toolBytes: number
}

/** Runs the built action on a comment below a short issue, or pull request, and takes down what the model is asked first. */
export async function firstRequest(model: string, bundle: string, place: 'issue' | 'pull' = 'issue'): Promise<FirstRequest> {
  const server = await refusingModel()
  const world = await createWorld({ env: process.env, bundle, seed: { files: seed }, users: { alice: 'write' } })
  try {
    if (place === 'pull') await world.push('utc', { 'src/date.js': 'export const parse = (text) => new Date(Date.parse(text))\n' }, 'main')
    const { number } = place === 'pull' ? await world.github.openPull({ ...issue, head: 'utc' }) : world.github.openIssue(issue)
    const { id } = world.github.comment(number, 'alice', '/opencode fix the date parsing')
    const done = await runAction(world, {
      event: 'issue_comment',
      payload: issueCommentPayload(world.github, id),
      inputs: { model, 'base-url': server.url, 'api-key': 'key-of-nobody' },
    })
    const [first] = server.seen
    if (!first) throw new Error(`the model was never asked:\n${done.stdout}\n${done.stderr}`)
    return readRequest(model, first.path, fixed(first.body, world.workspace))
  } finally {
    await Promise.all([world.close(), server.close()])
  }
}

/** Refuses for good whatever it is asked, so that a run ends with its first request. */
async function refusingModel() {
  const seen: { path: string; body: string }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    seen.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString('utf8') })
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"That was enough."}}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the model has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The same bytes on every machine and day. */
function fixed(body: string, workspace: string): string {
  return body
    .replaceAll(workspace, '/home/runner/work/demo/demo')
    .replaceAll(/Date: \w{3}, \d\d \w{3} \d{4}/g, 'Date: Tue, 15 Sep 2026')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-09-15T23:30:00Z')
    .replaceAll(/Platform: \w+/g, 'Platform: linux')
    .replaceAll(/ses_\w+/g, 'ses_0199500000000000000000000')
    .replaceAll(/\b[0-9a-f]{40}\b/g, '0123456789abcdef0123456789abcdef01234567')
}

const Text = z.looseObject({ text: z.string() })
const Content = z.union([z.string(), z.array(Text)])
const Message = z.looseObject({ role: z.string(), content: Content })
const Parts = z.looseObject({ role: z.string().default('system'), parts: z.array(Text) })
const Described = z.looseObject({ name: z.string(), description: z.string() })

/** The body of a request in any of the protocols. */
const Body = z.looseObject({
  system: z.array(Text).optional(),
  systemInstruction: Parts.optional(),
  messages: z.array(Message).optional(),
  input: z.array(Message).optional(),
  contents: z.array(Parts).optional(),
  tools: z.array(
    z.union([
      z.looseObject({ functionDeclarations: z.array(Described) }).transform(({ functionDeclarations }) => functionDeclarations),
      z.looseObject({ function: Described }).transform((tool) => [tool.function]),
      Described.transform((tool) => [tool]),
    ]),
  ),
})

function readRequest(model: string, path: string, body: string): FirstRequest {
  const raw: unknown = JSON.parse(body)
  const read = Body.parse(raw)
  const told = [
    ...(read.system ?? []).map(({ text }) => ({ role: 'system', text })),
    ...[...(read.systemInstruction ? [read.systemInstruction] : []), ...(read.contents ?? [])].map(({ role, parts }) => ({ role, text: joined(parts) })),
    ...[...(read.messages ?? []), ...(read.input ?? [])].map(({ role, content }) => ({ role, text: typeof content === 'string' ? content : joined(content) })),
  ]
  const isSystem = ({ role }: { role: string }) => role === 'system' || role === 'developer'
  const system = told.filter(isSystem).map(({ text }) => text)
  const messages = told.filter((message) => !isSystem(message))
  const tools = read.tools.flat().map(({ name, description, ...rest }) => ({
    name,
    description,
    schema: rest.input_schema ?? rest.parameters,
  }))
  const { tools: sent } = z.object({ tools: z.unknown() }).parse(raw)
  const names = new Map([
    ...system.map((text) => [text, '(the system text)'] as const),
    ...messages.map(({ text }, index) => [text, `(message ${index + 1})`] as const),
  ])
  const frame: unknown = JSON.parse(body, (key, value: unknown) => {
    if (key === 'tools') return `(${tools.length} definitions)`
    return typeof value === 'string' ? (names.get(value) ?? value) : value
  })
  return { model, path, body, system: system.join('\n\n'), messages, tools, frame, toolBytes: Buffer.byteLength(JSON.stringify(sent)) }
}

const joined = (parts: readonly { readonly text: string }[]): string => parts.map(({ text }) => text).join('\n')

/** Bytes of a first request and of what it is made of. `context` is all that the model is told of the thread, the request included. */
export function sizesOf({ body, system, messages, toolBytes }: FirstRequest) {
  return {
    system: Buffer.byteLength(system),
    tools: toolBytes,
    context: Buffer.byteLength(messages.map(({ text }) => text).join('\n')),
    total: Buffer.byteLength(body),
  }
}
