import { z } from 'zod'
import type { Todo } from '../session/message.ts'
import { type Draft, draft } from './draft.ts'

/** Where the list of the session is kept. */
export interface Todos {
  get(): readonly Todo[]
  set(todos: Todo[]): void
}

const item = z.object({
  content: z.string().describe('What is to be done'),
  status: z.string().describe('pending, in_progress, completed or cancelled'),
  priority: z.string().describe('high, medium or low'),
})

/** Replaces the list. */
export function todoWrite(todos: Todos): Draft {
  return draft('todowrite', z.object({ todos: z.array(item).describe('The whole list as it is now') }), async (input) => {
    todos.set(input.todos)
    return shown(input.todos)
  })
}

/** Shows the list. */
export function todoRead(todos: Todos): Draft {
  return draft('todoread', z.object({}), async () => shown(todos.get()))
}

function shown(todos: readonly Todo[]) {
  const open = todos.filter(({ status }) => status !== 'completed' && status !== 'cancelled').length
  return { title: `${open} open ${open === 1 ? 'todo' : 'todos'}`, output: JSON.stringify(todos), metadata: { todos } }
}
