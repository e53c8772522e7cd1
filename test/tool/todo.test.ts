import { expect, test } from 'vitest'
import type { Todo } from '../../src/session/message.ts'
import { todoRead, todoWrite } from '../../src/tool/todo.ts'

test('each session has a list of its own', async () => {
  const lists = new Map<string, Todo[]>()
  const todos = { get: (id: string) => lists.get(id) ?? [], set: (list: Todo[], id: string) => void lists.set(id, list) }
  const about = (sessionID: string) => ({
    sessionID,
    messageID: 'm',
    callID: 'c',
    agent: 'build',
    signal: new AbortController().signal,
    metadata: () => undefined,
  })
  const mine = [{ content: 'fix it', status: 'pending', priority: 'high' }]
  await todoWrite(todos).execute({ todos: mine }, about('ses_1'))
  expect(JSON.parse((await todoRead(todos).execute({}, about('ses_1'))).output)).toEqual(mine)
  expect(JSON.parse((await todoRead(todos).execute({}, about('ses_2'))).output)).toEqual([])
})
