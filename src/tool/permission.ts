import { z } from 'zod'
import { Failure } from '../failure.ts'
import { excerpt } from '../text.ts'
import { matchesWildcard } from './wildcard.ts'

/** Permission rules: what an agent may do with its tools. Pure; `session/` and `config/` read them too. */

export const Action = z.enum(['allow', 'ask', 'deny'])
export type Action = z.infer<typeof Action>

/** One rule. Both names are wildcards (see `matchesWildcard`); in a list the last rule that fits decides. */
export const Rule = z.object({ permission: z.string(), pattern: z.string(), action: Action })
export type Rule = z.infer<typeof Rule>
export type Rules = readonly Rule[]

/** Rules as a configuration writes them: one action for everything, or by permission an action or actions by pattern. */
export const PermissionConfig = z.union([Action, z.record(z.string(), z.union([Action, z.record(z.string(), Action)]))])
export type PermissionConfig = z.infer<typeof PermissionConfig>

/** What a call is about to do: it needs every one of the patterns allowed. */
export interface PermissionNeed {
  readonly permission: string
  readonly patterns: readonly string[]
}

/** The part of a tool the rules are about. A tool that says nothing of its needs is judged by its own name and the pattern `*`. */
export interface Guarded {
  readonly id: string
  permission?(input: unknown, rules: Rules): readonly PermissionNeed[] | Promise<readonly PermissionNeed[]>
}

/** Nothing is forbidden. */
export const allowAll: Rules = [{ permission: '*', pattern: '*', action: 'allow' }]

/** A call the rules do not let through. The message is all the model reads, so the advice is in it. */
export class PermissionDenied extends Failure {
  override readonly name = 'PermissionDenied'
  readonly rule: Rule

  constructor(need: { readonly permission: string; readonly pattern: string }, rule: Rule) {
    const advice = 'Reach the goal in a way the rules allow, or say in your reply what could not be done; do not look for a way around the rule.'
    super(`Not carried out: ${reasonOf(need, rule)} ${advice}`, advice)
    this.rule = rule
  }
}

/** Characters of a pattern that are repeated to the model. */
const SHOWN = 200

function reasonOf({ permission, pattern }: { readonly permission: string; readonly pattern: string }, rule: Rule): string {
  const what = pattern === '*' ? `\`${permission}\`` : `\`${permission}\` of \`${excerpt(pattern, SHOWN)}\``
  const which = `the rule \`${rule.permission}: ${excerpt(rule.pattern, SHOWN)}\``
  if (rule.action === 'deny') return `${which} of this run's permissions forbids ${what}.`
  return `${which} of this run's permissions lets ${what} happen only after a person agrees, and nobody can be asked during a run.`
}

/** The rule that decides: the last one that fits. Without any, it has to be asked for. */
export function evaluate(permission: string, pattern: string, rules: Rules): Rule {
  const found = rules.findLast((rule) => matchesWildcard(permission, rule.permission) && matchesWildcard(pattern, rule.pattern))
  return found ?? { permission, pattern: '*', action: 'ask' }
}

/**
 * Rules from a configuration, in its written order. `~` and `$HOME` at the start of a pattern become `home`; without a home they stay
 * as they are.
 */
export function fromConfig(config: PermissionConfig, home?: string): Rules {
  if (typeof config === 'string') return [{ permission: '*', pattern: '*', action: config }]
  return Object.entries(config).flatMap(([permission, value]): Rule[] => {
    if (typeof value === 'string') return [{ permission, pattern: '*', action: value }]
    return Object.entries(value).map(([pattern, action]) => ({ permission, pattern: expand(pattern, home), action }))
  })
}

function expand(pattern: string, home: string | undefined): string {
  if (home === undefined) return pattern
  const start = ['~', '$HOME'].find((name) => pattern === name || pattern.startsWith(`${name}/`))
  return start === undefined ? pattern : home + pattern.slice(start.length)
}

/** Several lists as one; rules of later lists win over those of earlier ones. */
export function merge(...lists: readonly Rules[]): Rules {
  return lists.flat()
}

const KEYS: Readonly<Record<string, string>> = {
  write: 'edit',
  apply_patch: 'edit',
  todoread: 'todowrite',
  list_mcp_resources: 'read',
  list_mcp_resource_templates: 'read',
  read_mcp_resource: 'read',
}

/** The permission a tool is judged by: `edit` for all that change files, `read` for MCP resources, otherwise the tool's own name. */
export function permissionOf(toolID: string): string {
  return Object.hasOwn(KEYS, toolID) ? (KEYS[toolID] ?? toolID) : toolID
}

/**
 * The tools that need not be offered at all: those whose last rule, of all that name them, forbids every pattern. A tool that is
 * forbidden for some patterns only stays visible and fails when it is called for one of them.
 */
export function disabled(toolIDs: readonly string[], rules: Rules): ReadonlySet<string> {
  return new Set(
    toolIDs.filter((id) => {
      const last = rules.findLast((rule) => matchesWildcard(permissionOf(id), rule.permission))
      return last?.pattern === '*' && last.action === 'deny'
    }),
  )
}

/** Lets a call through or throws `PermissionDenied` for the first thing it needs that no rule allows. `ask` is a denial here (DECISIONS 5). */
export async function authorize(tool: Guarded, input: unknown, rules: Rules): Promise<void> {
  allowed((await tool.permission?.(input, rules)) ?? [{ permission: permissionOf(tool.id), patterns: ['*'] }], rules)
}

/** Throws `PermissionDenied` for the first need that no rule allows. */
export function allowed(needs: readonly PermissionNeed[], rules: Rules): void {
  for (const { permission, patterns } of needs) {
    for (const pattern of patterns) {
      const rule = evaluate(permission, pattern, rules)
      if (rule.action !== 'allow') throw new PermissionDenied({ permission, pattern }, rule)
    }
  }
}
