import { limits } from '../limits.ts'
import type { Files } from '../workspace/files.ts'
import type { Shell } from '../workspace/shell.ts'
import { applyPatchTool } from './apply-patch.ts'
import { suitsModel } from './apply-patch-models.ts'
import { bashTool } from './bash.ts'
import { codesearchTool } from './codesearch.ts'
import { finish } from './draft.ts'
import { editTool } from './edit.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { listTool } from './list.ts'
import type { SearchOptions } from './net/services.ts'
import { readTool } from './read.ts'
import { repositoryOf } from './repository.ts'
import { seenFiles } from './seen.ts'
import { type Skill, skillTool } from './skill.ts'
import { type Todos, todoRead, todoWrite } from './todo.ts'
import type { Tool } from './tool.ts'
import { type Limits, standard, truncator } from './truncate.ts'
import { type WebOptions, webfetchTool } from './webfetch.ts'
import { websearchTool } from './websearch.ts'
import { writeTool } from './write.ts'

export interface BuiltinOptions {
  readonly files: Files
  readonly shell: Shell
  /** Looks up a text of `prompts/` and fills its places. */
  readonly texts: (name: string, values: Readonly<Record<string, string>>) => string
  readonly todos: Todos
  /** Folder for full outputs; `files` must be able to read it. */
  readonly save: string
  /** What of an output reaches the model, if not the usual. */
  readonly bounds?: Limits
  /** Folder with the parser for bash: where the bundle is. Only read when rules restrict what bash may do. */
  readonly assets?: string
  readonly skills?: readonly Skill[]
  readonly web?: WebOptions
  readonly search?: SearchOptions
}

/** The tools of a run, for whichever models it uses. They share what they know of the files that were read (C78). */
export function builtinTools(options: BuiltinOptions): readonly Tool[] {
  const { files, shell, texts, todos, save, bounds = standard, assets = '', skills = [], web = {}, search = {} } = options
  const seen = seenFiles()
  const truncate = truncator(save, bounds)
  const repository = repositoryOf(files, shell.env)
  const values = {
    lines: String(bounds.lines),
    bytes: String(bounds.bytes),
    lineChars: String(limits.lineChars),
    results: String(limits.searchResults),
  }
  const drafts = [
    bashTool({ files, shell, truncate, assets }),
    readTool({ files, seen }),
    globTool({ files, repository }),
    grepTool({ files, repository }),
    listTool({ files, repository }),
    editTool({ files, seen }),
    writeTool({ files, seen }),
    applyPatchTool({ files, seen }),
    webfetchTool(web),
    todoWrite(todos),
    todoRead(todos),
    websearchTool(search),
    codesearchTool(search),
    skillTool(skills),
  ].filter((each) => each !== undefined)
  return drafts.map((each) => ({
    ...finish(each, texts(`tools/${each.id}`, values), truncate),
    suits: (modelID) => suitsModel(each.id, modelID),
  }))
}
