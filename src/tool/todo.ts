import { z } from 'zod'
import type { Todo } from '../session/message.ts'
import { type Draft, draft } from './draft.ts'
import { need } from './needs.ts'

/** Where the lists are kept; each session has one. */
export interface Todos {
  get(sessionID: string): readonly Todo[]
  set(todos: Todo[], sessionID: string): void
}

const item = z.object({
  content: z.string().describe('What is to be done'),
  status: z.string().describe('pending, in_progress, completed or cancelled'),
  priority: z.string().describe('high, medium or low'),
})

/** Reading the list is judged with writing it: who may not keep one has none to read. */
const needs = () => need('todowrite')

/** Replaces the list. */
export function todoWrite(todos: Todos): Draft {
  return draft('todowrite', z.object({ todos: z.array(item).describe('The whole list as it is now') }), needs, async (input, { sessionID }) => {
    todos.set(input.todos, sessionID)
    return shown(input.todos)
  })
}

/** Shows the list. */
export function todoRead(todos: Todos): Draft {
  return draft('todoread', z.object({}), needs, async (_input, { sessionID }) => shown(todos.get(sessionID)))
}

function shown(todos: readonly Todo[]) {
  const open = todos.filter(({ status }) => status !== 'completed' && status !== 'cancelled').length
  return { title: `${open} open ${open === 1 ? 'todo' : 'todos'}`, output: JSON.stringify(todos), metadata: { todos } }
}
