import { beforeAll, describe, expect, test } from 'vitest'
import { type FirstRequest, families, firstRequest, sizesOf } from '../../scripts/first-request.ts'
import { built } from '../support/world.ts'

/** The request a model receives first, as the built action sends it. After a change that is meant: `npm run build && npx vitest run -u test/prompt/requests.test.ts`, and read the difference. */
const requests = new Map<string, FirstRequest>()

beforeAll(async () => {
  for (const [family, model] of Object.entries(families)) requests.set(family, await firstRequest(model, built))
  requests.set('pull', await firstRequest(families.claude, built, 'pull'))
})

function of(family: string): FirstRequest {
  const request = requests.get(family)
  if (!request) throw new Error(`${family} was not asked`)
  return request
}

const json = (value: unknown) => ['```json', JSON.stringify(value, null, 2), '```'].join('\n')

function pageOf(name: string): string {
  const { model, path, system, messages, tools, frame } = of(name)
  const page = [
    `# ${name}: ${model}`,
    `\`POST ${path}\``,
    json(frame),
    '## System text',
    system,
    ...messages.flatMap(({ role, text }, index) => [`## Message ${index + 1}, ${role}`, text]),
    '## Tools',
    `${tools.map(({ name }) => `\`${name}\``).join(', ')} (defined in [tools.md](tools.md))`,
  ]
  return `${page.join('\n\n')}\n`
}

describe.each(Object.keys(families))('what a model of the family %s receives for a short issue', (family) => {
  test('is what it was', async () => {
    await expect(pageOf(family)).toMatchFileSnapshot(`requests/${family}.md`)
  })

  test('has no more than 15 kB', () => {
    const sizes = sizesOf(of(family))
    expect(sizes.total, JSON.stringify(sizes)).toBeLessThanOrEqual(15_000)
  })

  test('is made of texts and definitions that are there once', () => {
    const { body, system, tools } = of(family)
    for (const text of ['You are opencode', '# Where you are', '<env>', 'They can see the diff']) expect(system.split(text)).toHaveLength(2)
    expect(body.split('With `TZ=America/New_York`')).toHaveLength(2)
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
  })
})

test('on a pull request a model receives the facts of it and the review tool too, in 15 kB', async () => {
  await expect(pageOf('pull')).toMatchFileSnapshot('requests/pull.md')
  expect(sizesOf(of('pull')).total).toBeLessThanOrEqual(15_000)
})

test('a tool has one description for all families; its parameters are shown once', async () => {
  const known = new Map<string, FirstRequest['tools'][number]>()
  for (const family of requests.keys()) {
    for (const tool of of(family).tools) {
      const first = known.get(tool.name) ?? tool
      known.set(tool.name, first)
      expect(tool.description, `${family}: ${tool.name}`).toBe(first.description)
    }
  }
  const pages = [...known.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, description, schema }) => [`## ${name}`, description, json(schema)].join('\n\n'))
  await expect(`# Tools, as they are described to models\n\n${pages.join('\n\n')}\n`).toMatchFileSnapshot('requests/tools.md')
})

test('the same issue gives the same bytes, whenever and wherever it is worked on', async () => {
  const again = await firstRequest(families.claude, built)
  expect(again.body).toBe(of('claude').body)
})
