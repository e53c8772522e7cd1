import { expect, test } from 'vitest'
import { comments } from '../support/world.ts'
import { comment, expectExit, fixDate, within, writes } from './support.ts'

test('a comment on an issue becomes a branch, a commit, a pull request and a reply; a second comment goes on with all of them', () =>
  within({ script: fixDate }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Fix the date parsing', body: 'It is off by the time zone.', author: 'rita' })

    const first = await comment(world, number, 'alice', '/opencode fix the date parsing')
    expectExit(first, 0)
    const branch = `opencode/issue${number}-fix-the-date-parsing`
    expect(first.outputs).toMatchObject({ conclusion: 'success', branch, 'pull-request-operation': 'created', 'changed-files': 'src/date.js', steps: '3' })
    expect(await world.remote('show', `${branch}:src/date.js`)).toContain('Date.parse(text)')
    expect(await world.remote('log', '-1', '--format=%an|%s|%(trailers:key=Co-authored-by,valueonly)', branch)).toMatch(
      /^github-actions\[bot\]\|Fix the date parsing\|alice <\d+\+alice@users\.noreply\./,
    )
    const pull = world.github.thread(Number(first.outputs['pull-request-number']))
    expect(pull.title).toBe('Fix the date parsing')
    expect(pull.body).toContain(`Closes #${number}`)
    const [, reply] = comments(world, number)
    expect(reply?.author).toBe('github-actions[bot]')
    expect(reply?.body).toContain('Dates are parsed in UTC now.')
    expect(reply?.body).toContain(`Opened #${pull.number}`)
    expect(reply?.body).toContain('3 steps')
    expect(reply?.body).toContain('<!-- opencode:session:v1 ')

    await world.checkout()
    const second = await comment(world, number, 'alice', '/oc is that all?')
    expectExit(second, 0)
    expect(second.outputs).toMatchObject({ conclusion: 'success', 'session-id': first.outputs['session-id'] })
    expect(second.outputs['pull-request-number']).toBeUndefined()
    const requests = world.model?.requests() ?? []
    const before = requests[2]?.messages ?? []
    // The whole first turn, byte for byte, then the new question: the prefix a provider's cache needs.
    expect(requests[3]?.messages.slice(0, before.length)).toEqual(before)
    expect(JSON.stringify(requests[3]?.messages.at(-1))).toContain('is that all?')
    expect(comments(world, number)).toHaveLength(4)
    expect(writes(world).filter((write) => write.startsWith('POST') && write.endsWith('/pulls'))).toHaveLength(1)
  }))

test('a second request that changes code pushes to the same branch and pull request', () =>
  within(
    {
      script: (conversation) => {
        const second = conversation.messages.some(({ role, text }) => role === 'user' && text.includes('write a changelog'))
        if (second && conversation.mayCall && conversation.result('write_2') === undefined)
          return { calls: [{ id: 'write_2', name: 'write', arguments: { filePath: 'CHANGELOG.md', content: '# Changes\n' } }] }
        return second ? { text: 'Wrote the changelog.' } : fixDate(conversation)
      },
    },
    async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const first = await comment(world, number, 'alice', '/opencode fix it')
      await world.checkout()
      const second = await comment(world, number, 'alice', '/opencode write a changelog')
      expectExit(second, 0)
      expect(second.outputs).toMatchObject({
        branch: first.outputs.branch,
        'pull-request-number': first.outputs['pull-request-number'],
        'pull-request-operation': 'updated',
      })
      const branch = first.outputs.branch ?? ''
      expect((await world.remote('log', '--format=%s', `main..${branch}`)).trim().split('\n')).toEqual(['Write a changelog', 'Fix it'])
      expect(comments(world, number).at(-1)?.body).toContain(`to #${first.outputs['pull-request-number']}.`)
    },
  ))
