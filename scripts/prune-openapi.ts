import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/**
 * Makes `test/schemas/github-openapi.json`: GitHub's own description of the REST routes the action calls, small enough to commit.
 * The npm package unpacks to 404 MB, so it is fetched into a temp folder each time and never a dependency.
 * `node scripts/prune-openapi.ts` needs npm and tar.
 */
const version = '23.0.2'
const repo = '/repos/{owner}/{repo}'
const issue = `${repo}/issues/{issue_number}`
const pull = `${repo}/pulls/{pull_number}`
const run = `${repo}/actions/runs/{run_id}`
const routes: Record<string, readonly string[]> = {
  '/search/issues': ['get'],
  [repo]: ['get'],
  [`${repo}/activity`]: ['get'],
  [`${repo}/branches/{branch}`]: ['get'],
  [`${repo}/collaborators/{username}/permission`]: ['get'],
  [`${repo}/commits/{ref}`]: ['get'],
  [`${repo}/compare/{basehead}`]: ['get'],
  [`${repo}/labels`]: ['get'],
  [issue]: ['get', 'patch'],
  [`${issue}/assignees`]: ['post', 'delete'],
  [`${issue}/labels`]: ['get', 'post'],
  [`${issue}/labels/{name}`]: ['delete'],
  [`${issue}/comments`]: ['get', 'post'],
  [`${issue}/reactions`]: ['get', 'post'],
  [`${issue}/reactions/{reaction_id}`]: ['delete'],
  [`${repo}/issues/comments`]: ['get'],
  [`${repo}/issues/comments/{comment_id}`]: ['get', 'patch', 'delete'],
  [`${repo}/issues/comments/{comment_id}/reactions`]: ['get', 'post'],
  [`${repo}/issues/comments/{comment_id}/reactions/{reaction_id}`]: ['delete'],
  [`${repo}/pulls`]: ['get', 'post'],
  [pull]: ['get', 'patch'],
  [`${pull}/files`]: ['get'],
  [`${pull}/comments`]: ['get', 'post'],
  [`${pull}/comments/{comment_id}/replies`]: ['post'],
  [`${pull}/reviews`]: ['get', 'post'],
  [`${pull}/reviews/{review_id}`]: ['get', 'put'],
  [`${pull}/reviews/{review_id}/comments`]: ['get'],
  [`${repo}/pulls/comments`]: ['get'],
  [`${repo}/pulls/comments/{comment_id}`]: ['get', 'patch', 'delete'],
  [`${repo}/pulls/comments/{comment_id}/reactions`]: ['get', 'post'],
  [`${repo}/pulls/comments/{comment_id}/reactions/{reaction_id}`]: ['delete'],
  [run]: ['get'],
  [`${run}/attempts/{attempt_number}`]: ['get'],
  [`${run}/attempts/{attempt_number}/jobs`]: ['get'],
  [`${run}/jobs`]: ['get'],
  [`${repo}/actions/jobs/{job_id}`]: ['get'],
  [`${repo}/actions/jobs/{job_id}/logs`]: ['get'],
  [`${repo}/git/blobs`]: ['post'],
  [`${repo}/git/trees`]: ['post'],
  [`${repo}/git/trees/{tree_sha}`]: ['get'],
  [`${repo}/git/commits`]: ['post'],
  [`${repo}/git/commits/{commit_sha}`]: ['get'],
  [`${repo}/git/ref/{ref}`]: ['get'],
  [`${repo}/git/matching-refs/{ref}`]: ['get'],
  [`${repo}/git/refs`]: ['post'],
  [`${repo}/git/refs/{ref}`]: ['patch', 'delete'],
}

const Json = z.record(z.string(), z.unknown())
type Json = z.infer<typeof Json>
const objectOf = (value: unknown): Json => Json.parse(value)
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Words for people; a validator has no use for them. */
const prose = new Set(['description', 'example', 'examples', 'summary', 'title', 'externalDocs', 'tags', 'deprecated', 'operationId', 'headers'])
/** Below these keys stand names, not keywords. */
const named = new Set(['properties', 'paths', 'schemas', 'responses', 'content', 'parameters'])

/** JSON Schema without prose, and with OpenAPI 3.0's `nullable` as a type of its own, which is how ajv 8 wants it. */
function strip(value: unknown, names = false): unknown {
  if (Array.isArray(value)) return value.map((item) => strip(item))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => names || !(prose.has(key) || key.startsWith('x-') || key === 'nullable'))
  const out: Json = Object.fromEntries(kept.map(([key, item]) => [key, strip(item, !names && named.has(key))]))
  if (names || value.nullable !== true) return out
  if (typeof out.type !== 'string') return { anyOf: [out, { type: 'null' }] }
  return { ...out, type: [out.type, 'null'], ...(Array.isArray(out.enum) ? { enum: [...new Set([...out.enum, null])] } : {}) }
}

const temp = mkdtempSync(join(tmpdir(), 'openapi-'))
try {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  execFileSync(npm, ['pack', `@octokit/openapi@${version}`, '--silent'], { cwd: temp, shell: process.platform === 'win32' })
  const file = 'package/generated/api.github.com.json'
  execFileSync('tar', ['xzf', `octokit-openapi-${version}.tgz`, file], { cwd: temp })
  const source = objectOf(JSON.parse(readFileSync(join(temp, file), 'utf8')))
  const paths = objectOf(source.paths)
  const components = objectOf(source.components)

  const kept: Json = {}
  for (const [path, methods] of Object.entries(routes)) {
    const item = objectOf(paths[path])
    kept[path] = Object.fromEntries(methods.map((method) => [method, strip(item[method])]))
  }

  const used: Record<string, Json> = {}
  const follow = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(follow)
    if (!isObject(value)) return
    const [, group, name] = typeof value.$ref === 'string' ? (/^#\/components\/(\w+)\/(.+)$/.exec(value.$ref) ?? []) : []
    if (group !== undefined && name !== undefined && used[group]?.[name] === undefined) {
      const target = strip(objectOf(components[group])[name])
      used[group] = { ...used[group], [name]: target }
      follow(target)
    }
    Object.values(value).forEach(follow)
  }
  follow(kept)
  follow({ $ref: '#/components/schemas/basic-error' })

  // Where GitHub is known to answer otherwise than it describes: null for the line of an
  // outdated remark, a fork that was deleted, an issue without a text.
  const correct = (schema: unknown, [name = '', ...rest]: readonly string[]): Json => {
    const { properties, ...other } = objectOf(schema)
    const { [name]: value, ...siblings } = objectOf(properties)
    return { ...other, properties: { ...siblings, [name]: rest.length === 0 ? { anyOf: [value, { type: 'null' }] } : correct(value, rest) } }
  }
  const schemas = used.schemas ?? {}
  for (const [name, path] of [
    ['pull-request-review-comment', ['line']],
    ['pull-request-review-comment', ['position']],
    ['pull-request', ['head', 'repo']],
    ['pull-request-simple', ['head', 'repo']],
    ['issue-search-result-item', ['body']],
  ] as const)
    schemas[name] = correct(schemas[name], path)

  const out = { source: `@octokit/openapi ${version} (api.github.com)`, paths: kept, components: used }
  const target = join(dirname(dirname(fileURLToPath(import.meta.url))), 'test/schemas/github-openapi.json')
  writeFileSync(target, `${JSON.stringify(out)}\n`)
  console.log(`${target}: ${Math.round(JSON.stringify(out).length / 1000)} kB`)
} finally {
  rmSync(temp, { recursive: true, force: true })
}
