import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Script } from '../../src/local/model.ts'
import { comment, expectExit, within } from './support.ts'

const task = (id: string, prompt: string) => ({
  id,
  name: 'task',
  arguments: { description: `Look at ${prompt}`, prompt: `part: ${prompt}`, subagent_type: 'explore' },
})

/** Gives two parts of the work away at once; each reads a file. */
const script: Script = ({ messages, result }) => {
  const isPart = messages.some(({ role, text }) => role === 'user' && text.startsWith('part: '))
  if (isPart)
    return result('read') === undefined ? { calls: [{ id: 'read', name: 'read', arguments: { filePath: 'src/date.js' } }] } : { text: 'It parses dates.' }
  return result('one') === undefined ? { calls: [task('one', 'the parser'), task('two', 'its callers')] } : { text: 'Both parts were looked at.' }
}

test('subtasks side by side: their steps and tokens count in the run’s figures, and the transcript shows what they did', () =>
  within({ script }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/oc look at the dates')
    expectExit(done, 0)
    const requests = world.model?.requests() ?? []
    expect(requests).toHaveLength(6)
    const sent = requests.reduce((sum, { messages, tools }) => sum + Math.ceil(JSON.stringify([messages, tools]).length / 4), 0)
    expect(done.outputs).toMatchObject({ response: 'Both parts were looked at.', steps: '6', 'input-tokens': String(sent) })
    expect(done.summary).toContain('| Steps | 6 |')
    const transcript = await readFile(done.outputs['transcript-path'] ?? '', 'utf8')
    expect([...transcript.matchAll(/<h2 [^>]+>([^<]+)</g)].map(([, heading]) => heading)).toEqual([
      'Messages',
      'Subtask: Look at the parser (@explore subagent)',
      'Subtask: Look at its callers (@explore subagent)',
    ])
    expect(transcript.match(/<span class="name">read<\/span> <code>src\/date\.js<\/code>/g)).toHaveLength(2)
  }))
