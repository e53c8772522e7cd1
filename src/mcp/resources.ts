import { z } from 'zod'
import { messageOf } from '../failure.ts'
import type { Texts } from '../prompt/texts.ts'
import { type Draft, draft, finish } from '../tool/draft.ts'
import { optional } from '../tool/parameters.ts'
import type { Tool } from '../tool/tool.ts'
import type { Truncate } from '../tool/truncate.ts'
import type { Connection } from './connect.ts'
import { ResourceContent, readableResource } from './content.ts'
import { McpError } from './errors.ts'
import { everyPage } from './pages.ts'

/** Servers that have resources, by name. */
export type Sources = ReadonlyMap<string, Connection>

/** Reads a resource of a server, for whoever refers to one. Throws `McpError` when there is no such server. */
export async function readResource(sources: Sources, server: string, uri: string, signal: AbortSignal): Promise<readonly ResourceContent[]> {
  const { client, timeout } = sourceOf(sources, server)
  const { contents } = await client.readResource({ uri, options: { signal, timeout } })
  return z.array(ResourceContent).parse(contents)
}

function sourceOf(sources: Sources, server: string): Connection {
  const source = sources.get(server)
  if (source) return source
  throw new McpError(
    `There is no MCP server named ${JSON.stringify(server)} with resources.`,
    `Those that have any: ${[...sources.keys()].join(', ') || 'none'}.`,
  )
}

const onlyServer = z.object({ server: optional(z.string().describe('Only those of this server')) })
const oneResource = z.object({ server: z.string().describe('Name of the server'), uri: z.string().describe('Address of the resource, as listed') })

/** The tools by which a model looks into resources (the engine's description 2.10); none when no server has any. */
export function resourceTools(sources: Sources, texts: Texts, truncate: Truncate): Tool[] {
  if (sources.size === 0) return []
  const chosen = (server: string | undefined) => (server === undefined ? [...sources] : [[server, sourceOf(sources, server)] as const])
  const mayList = ({ server }: { server?: string | undefined }) => [
    { permission: 'read', patterns: (server === undefined ? [...sources.keys()] : [server]).map((name) => `mcp:${name}:*`) },
  ]

  const drafts: Draft[] = [
    draft('list_mcp_resources', onlyServer, mayList, async ({ server }, { signal }) =>
      listed(
        await fromEach(chosen(server), async ({ client, timeout }) => {
          const resources = await everyPage(async (params) => {
            const page = await client.listResources({ params, options: { signal, timeout } })
            return { items: page.resources, nextCursor: page.nextCursor }
          })
          return resources.map(({ uri, name, mimeType, description }) => lineOf(uri, name, mimeType, description))
        }),
      ),
    ),
    draft('list_mcp_resource_templates', onlyServer, mayList, async ({ server }, { signal }) =>
      listed(
        await fromEach(chosen(server), async ({ client, timeout }) => {
          const { resourceTemplates } = await client.listResourceTemplates({ options: { signal, timeout } })
          return resourceTemplates.map(({ uriTemplate, name, mimeType, description }) => lineOf(uriTemplate, name, mimeType, description))
        }),
      ),
    ),
    draft(
      'read_mcp_resource',
      oneResource,
      ({ server, uri }) => [{ permission: 'read', patterns: [`mcp:${server}:${uri}`] }],
      async ({ server, uri }, { signal }) => {
        const { text, attachments } = readableResource(await readResource(sources, server, uri, signal))
        return { title: uri, output: text || (attachments.length > 0 ? `${uri} is attached.` : ''), metadata: { server, uri }, attachments }
      },
    ),
  ]
  return drafts.map((each) => finish(each, texts(`tools/${each.id}`), truncate))
}

interface Listing {
  readonly server: string
  readonly lines: readonly string[]
}

/** Asks servers side by side; one that fails says so in its place. */
function fromEach(chosen: readonly (readonly [string, Connection])[], ask: (connection: Connection) => Promise<string[]>): Promise<Listing[]> {
  return Promise.all(
    chosen.map(async ([server, connection]) => ({
      server,
      lines: await ask(connection).catch((error: unknown) => [`(could not be listed: ${messageOf(error)})`]),
    })),
  )
}

function listed(listings: readonly Listing[]) {
  const output = listings.map(({ server, lines }) => [`Server ${server}:`, ...(lines.length > 0 ? lines : ['(none)'])].join('\n')).join('\n\n')
  return { title: listings.map(({ server }) => server).join(', '), output, metadata: { count: listings.reduce((sum, { lines }) => sum + lines.length, 0) } }
}

function lineOf(uri: string, name: string, mime: string | undefined, description: string | undefined): string {
  return [`- ${uri} (${[name, mime].filter((piece) => piece !== undefined).join(', ')})`, description].filter((piece) => piece).join(': ')
}
