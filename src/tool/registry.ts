import { limits } from '../limits.ts'
import type { Files } from '../workspace/files.ts'
import type { Shell } from '../workspace/shell.ts'
import { bashTool } from './bash.ts'
import { finish } from './draft.ts'
import { editTool } from './edit.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { listTool } from './list.ts'
import { readTool } from './read.ts'
import { repositoryOf } from './repository.ts'
import { seenFiles } from './seen.ts'
import { type Todos, todoRead, todoWrite } from './todo.ts'
import type { Tool } from './tool.ts'
import { truncator } from './truncate.ts'
import { writeTool } from './write.ts'

export interface BuiltinOptions {
  readonly files: Files
  readonly shell: Shell
  /** Looks up a text of `prompts/` and fills its places. */
  readonly texts: (name: string, values: Readonly<Record<string, string>>) => string
  readonly todos: Todos
  /** Folder for full outputs; `files` must be able to read it. */
  readonly save: string
}

/** The tools of a run, in the order they are shown to the model. They share what they know of the files that were read (C78). */
export function builtinTools({ files, shell, texts, todos, save }: BuiltinOptions): readonly Tool[] {
  const seen = seenFiles()
  const truncate = truncator(save)
  const repository = repositoryOf(files, shell.env)
  const values = {
    lines: String(limits.outputLines),
    bytes: String(limits.outputBytes),
    lineChars: String(limits.lineChars),
    results: String(limits.searchResults),
  }
  const drafts = [
    bashTool({ files, shell, truncate }),
    readTool({ files, seen }),
    globTool({ files, repository }),
    grepTool({ files, repository }),
    listTool({ files, repository }),
    editTool({ files, seen }),
    writeTool({ files, seen }),
    todoWrite(todos),
    todoRead(todos),
  ]
  return drafts.map((each) => finish(each, texts(`tools/${each.id}`, values), truncate))
}
