import type { JsonObject } from '../json.ts'
import type { Command } from '../session/command.ts'
import type { Skill as LoadableSkill } from '../tool/skill.ts'
import type { AgentEntry, ConfigForm, McpServer, ProviderEntry } from './schema.ts'

export interface Skill extends LoadableSkill {
  /** One without is not offered to the model. */
  readonly description?: string
}

/** A plugin that is configured: the name of a package, or `./` and a path from the root of the tree; options may go with it. */
export type Plugin = string | readonly [string, JsonObject]

/** The sections that have no home of their own, in the names and the form of `opencode.json`. */
export type Preferences = Pick<
  ConfigForm,
  | 'model'
  | 'small_model'
  | 'default_agent'
  | 'subagent_depth'
  | 'disabled_providers'
  | 'enabled_providers'
  | 'instructions'
  | 'attachment'
  | 'tool_output'
  | 'compaction'
  | 'experimental'
  | 'github'
>

/** Rules by permission, in written order: an action, or actions by pattern. */
export type PermissionForm = Exclude<NonNullable<ConfigForm['permission']>, string>

/** What a run is configured by: the repository's trusted commit, and over it what the job says. */
export interface Config {
  readonly preferences: Preferences
  /** By name, in written order; the engine's own agents are not among them unless something of them is changed. */
  readonly agents: Readonly<Record<string, AgentEntry>>
  /** What of `agents` the job itself says. */
  readonly jobAgents: Readonly<Record<string, AgentEntry>>
  /** The built-in ones, the repository's, then skills; no name twice. */
  readonly commands: readonly Command[]
  /** Sorted by name. */
  readonly skills: readonly Skill[]
  readonly providers: Readonly<Record<string, ProviderEntry>>
  readonly mcp: Readonly<Record<string, McpServer>>
  readonly permission: PermissionForm
  /** What the job itself narrows; to be appended after every other rule, so that no agent or file of the repository widens it. */
  readonly limits: PermissionForm
  /** Those that lie in plugin folders are not among them. */
  readonly plugins: readonly Plugin[]
  /** What was read, for messages: files of the tree, and what the job gave. */
  readonly sources: readonly string[]
  /** Values from the environment that stand in the configuration and must be kept out of everything. */
  readonly secrets: readonly string[]
  /** Sentences for people. */
  readonly notes: readonly string[]
}
