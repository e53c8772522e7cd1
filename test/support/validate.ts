import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import { schema } from '@octokit/graphql-schema'
import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { buildSchema, execute, GraphQLScalarType, type GraphQLSchema, parse, validate as validateDocument } from 'graphql'
import { z } from 'zod'
import type { Exchange } from '../../src/local/github/journal.ts'

/** Holds what went over the wire against GitHub's own descriptions: OpenAPI for REST, the GraphQL schema, the webhook schemas. */

const Operation = z.object({
  parameters: z.array(z.object({ $ref: z.string().optional(), name: z.string().optional(), in: z.string().optional() })).default([]),
  requestBody: z.object({ content: z.object({ 'application/json': z.object({ schema: z.unknown() }) }) }).optional(),
  responses: z.record(z.string(), z.object({ $ref: z.string().optional(), content: z.record(z.string(), z.object({ schema: z.unknown() })).optional() })),
})
type Operation = z.infer<typeof Operation>
const Description = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({
    schemas: z.record(z.string(), z.unknown()),
    parameters: z.record(z.string(), z.object({ name: z.string(), in: z.string(), schema: z.unknown() })),
    responses: z.record(z.string(), z.object({ content: z.record(z.string(), z.object({ schema: z.unknown() })).optional() })),
  }),
})

const description = Description.parse(JSON.parse(readFileSync(new URL('../schemas/github-openapi.json', import.meta.url), 'utf8')))
const ajv = new Ajv({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addFormat('repo.nwo', /^[^/]+\/[^/]+$/)
ajv.addSchema({ $id: 'github', components: description.components })
const compiled = new Map<string, ValidateFunction>()

/** Compiles a schema of the description once; its references point into the whole document. */
function schemaErrors(schema: unknown, value: unknown): string[] {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"github#/components/')
  const check = compiled.get(text) ?? ajv.compile(z.record(z.string(), z.unknown()).parse(JSON.parse(text)))
  compiled.set(text, check)
  return check(value) ? [] : (check.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message ?? ''} ${JSON.stringify(error.params)}`)
}

/** Answers GitHub gives on every route without the description saying so; 304 to any conditional GET. */
const everywhere = new Set([304, 401, 403, 404, 410, 422, 429])

/** What is wrong with a REST exchange, by GitHub's OpenAPI description. Injected answers are not looked at: they need not be right. */
export function restViolations(exchange: Exchange): string[] {
  const found = findOperation(exchange)
  const at = `${exchange.method} ${exchange.path}`
  if (found === undefined) return [`${at} is no route of the description`]
  const errors = [...queryErrors(found, exchange), ...requestErrors(found, exchange)]
  if (!exchange.injected) errors.push(...responseErrors(found, { ...exchange, response: withBody(exchange.response) }))
  return errors.map((error) => `${at}: ${error}`)
}

/** The description knows nothing of the media type that has HTML in place of a body. */
function withBody(response: unknown): unknown {
  const rendered = z.looseObject({ body_html: z.string(), body: z.undefined().optional() }).safeParse(response)
  return rendered.success ? { ...rendered.data, body: '' } : Array.isArray(response) ? response.map(withBody) : response
}

function findOperation({ method, path }: Exchange): Operation | undefined {
  // Literal segments win over parameters, as in any router.
  const templates = Object.keys(description.paths).sort((a, b) => a.split('{').length - b.split('{').length)
  const template = templates.find((candidate) => new RegExp(`^${candidate.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
  return template === undefined ? undefined : description.paths[template]?.[method.toLowerCase()]
}

function queryErrors(operation: Operation, { query }: Exchange): string[] {
  const known = operation.parameters.map((entry) => (entry.$ref === undefined ? entry : description.components.parameters[entry.$ref.split('/').at(-1) ?? '']))
  const names = new Set(known.filter((entry) => entry?.in === 'query').map((entry) => entry?.name))
  return Object.keys(query)
    .filter((name) => !names.has(name))
    .map((name) => `query parameter ${name} is not described`)
}

function requestErrors(operation: Operation, { body, status }: Exchange): string[] {
  const schema = operation.requestBody?.content['application/json'].schema
  if (schema === undefined) return body === undefined ? [] : ['a body is sent where none is described']
  // What GitHub itself turns down as malformed is the emulator's finding already.
  if (status === 422) return []
  const known = fieldsOf(schema)
  const strange = Object.keys(z.record(z.string(), z.unknown()).safeParse(body).data ?? {}).filter((name) => !known.has(name))
  return [...schemaErrors(schema, body).map((error) => `request ${error}`), ...strange.map((name) => `request field ${name} is not described`)]
}

const Fields = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  oneOf: z.array(z.unknown()).default([]),
  anyOf: z.array(z.unknown()).default([]),
})
/** The names of the fields a body may have, in any of the forms it may take. */
function fieldsOf(schema: unknown): Set<string> {
  const { properties, oneOf, anyOf } = Fields.parse(schema)
  return new Set([...Object.keys(properties), ...[...oneOf, ...anyOf].flatMap((form) => [...fieldsOf(form)])])
}

function responseErrors(operation: Operation, { status, response }: Exchange): string[] {
  const direct = operation.responses[`${status}`]
  const described = direct?.$ref === undefined ? direct : description.components.responses[direct.$ref.split('/').at(-1) ?? '']
  if (described === undefined && !everywhere.has(status)) return [`status ${status} is not described`]
  const basic = { $ref: '#/components/schemas/basic-error' }
  const schema = status === 304 ? undefined : described === undefined ? basic : described.content?.['application/json']?.schema
  if (schema === undefined) return response === undefined ? [] : [`a body is answered with ${status} where none is described`]
  return schemaErrors(schema, response).map((error) => `response ${error}`)
}

const Posted = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).nullish() })
const Answered = z.object({ data: z.record(z.string(), z.unknown()).nullish(), errors: z.array(z.unknown()).optional() })
let full: GraphQLSchema | undefined

/** GitHub's whole GraphQL schema, with leaf values checked where their form is known. */
export function fullSchema(): GraphQLSchema {
  if (full !== undefined) return full
  // Assumed valid: one release names a field twice.
  full = buildSchema(schema.idl, { assumeValidSDL: true })
  const forms: Record<string, RegExp> = {
    DateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    GitObjectID: /^[0-9a-f]{40}$/,
    URI: /^https?:\/\/\S+$/,
    BigInt: /^-?\d+$/,
  }
  for (const [name, form] of Object.entries(forms)) {
    const scalar = full.getType(name)
    if (!(scalar instanceof GraphQLScalarType)) continue
    scalar.serialize = (value: unknown) => {
      if (typeof value === 'string' && form.test(value)) return value
      throw new TypeError(`${JSON.stringify(value)} is no ${name}`)
    }
  }
  return full
}

/** What is wrong with a GraphQL exchange: the document by the schema, and the answer by executing the document over it. */
export function graphqlViolations(exchange: Exchange): string[] {
  const posted = Posted.safeParse(exchange.body)
  if (!posted.success) return ['the GraphQL request has no query']
  const everything = fullSchema()
  const document = parse(posted.data.query)
  const wrong = validateDocument(everything, document).map((error) => `document: ${error.message}`)
  if (wrong.length > 0 || exchange.injected || exchange.status !== 200) return wrong
  const answer = Answered.parse(exchange.response)
  if (answer.errors !== undefined || answer.data == null) return []
  const again = execute({
    schema: everything,
    document,
    rootValue: answer.data,
    variableValues: posted.data.variables ?? {},
    fieldResolver: (source: unknown, _args, _context, info) => z.record(z.string(), z.unknown()).parse(source)[`${info.path.key}`],
    typeResolver: (value: unknown, _context, info, type) => {
      const named = z.object({ __typename: z.string() }).safeParse(value).data?.__typename
      // An answer that does not say is taken for what was asked for first.
      const [fragment] = info.fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections.filter((field) => field.kind === 'InlineFragment') ?? [])
      const asked = everything.getPossibleTypes(type).find(({ name }) => name === fragment?.typeCondition?.name.value)
      return named ?? asked?.name ?? everything.getPossibleTypes(type)[0]?.name
    },
  })
  if (again instanceof Promise) return ['the answer could not be checked at once']
  const errors = (again.errors ?? []).map((error) => `response ${error.path?.join('.') ?? ''}: ${error.message}`)
  if (errors.length === 0 && !isDeepStrictEqual(JSON.parse(JSON.stringify(again.data)), answer.data))
    errors.push('response: it holds other values or fields than the schema gives')
  return errors
}

/** What is wrong with anything in a journal. */
export function violations(journal: readonly Exchange[]): string[] {
  return journal.flatMap((exchange) =>
    exchange.kind === 'git' || exchange.kind === 'file' ? [] : exchange.kind === 'graphql' ? graphqlViolations(exchange) : restViolations(exchange),
  )
}

const require = createRequire(import.meta.url)
const webhooks = z.record(z.string(), z.unknown()).parse(require('@octokit/webhooks-schemas'))
const hooks = new Ajv({ strict: false, allErrors: true })
formats.default(hooks)
hooks.addSchema({ ...webhooks, $id: 'webhooks' })

/** What is wrong with a payload by the schema of its event, such as `issue_comment$created`. */
export function payloadViolations(event: string, payload: object): string[] {
  const check = hooks.getSchema(`webhooks#/definitions/${event}`)
  if (check === undefined) return [`there is no schema ${event}`]
  const value: unknown = JSON.parse(JSON.stringify(payload))
  return check(value) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`)
}
