import { monthFix } from './demo-repository.ts'
import type { RunResult } from './runner.ts'
import { call, follow } from './steps.ts'
import { type Scene, within } from './tour-stage.ts'

/** The scenes in which a thread goes on while, after or although something happens. */

const source = 'src/parse-date.js'

export const steeringScene: Scene = {
  name: 'A comment that reaches the run while it works',
  async play(stage) {
    const { world } = stage
    const steering = 'say in a comment why one is subtracted'
    const why = '// The text counts months from 1, Date.UTC from 0.'
    const issue = stage.issue('alice', 'Dates come out a month late', '`parseDate("2024-03-01")` gives 1 April.')
    let second: Promise<RunResult> | undefined
    const speak = () => {
      second ??= stage.comment(issue, 'bob', `/opencode ${steering}`, 'second')
      return within(second)
    }
    stage.follow((conversation) => {
      const heard = conversation.messages.some(({ role, text }) => role === 'user' && text.includes(steering))
      const newString = heard ? `${why}\n  ${monthFix.newString}` : monthFix.newString
      const steps = [
        { calls: [call('call_steer_read', 'read', { filePath: source })] },
        { calls: [call('call_steer_grep', 'grep', { pattern: 'parseDate' })], after: speak },
        { calls: [call('call_steer_edit', 'edit', { filePath: source, ...monthFix, newString })] },
      ]
      return follow(steps, () => `The month is counted from 0 now${heard ? ', and a comment says why, as @bob asked' : ''}.`)(conversation)
    })
    const first = await stage.comment(issue, 'alice', '/opencode fix it')
    const other = await second
    await stage.show(issue)
    const text = await world.remote('show', `${first.outputs.branch}:${source}`).catch(() => '')
    const replies = issue.comments.filter(({ author }) => author === world.github.state.viewer)
    return [
      { told: "The first run succeeded, and the second comment's run handed over to it", holds: outcomes(first, other) === 'success handed-over' },
      { told: 'The model read the second comment while it worked', holds: stage.asked().some((request) => request.includes(steering)) },
      { told: 'The pushed code does what both asked for', holds: text.includes(monthFix.newString) && text.includes(why) },
      { told: 'There is one reply', holds: replies.length === 1 },
    ]
  },
}

export const cancelScene: Scene = {
  name: 'A run that is cancelled, and goes on',
  async play(stage) {
    const { world } = stage
    const example = '`parseDate("2024-03-01")` and `parseDate("01.03.2024")` are the same day.'
    const issue = stage.issue('alice', 'The README shows no example', 'One line would do.')
    let other: Promise<RunResult> | undefined
    const cancel = () => {
      other ??= stage.comment(issue, 'alice', '/opencode cancel', 'second')
      return within(other)
    }
    stage.follow(
      follow(
        [
          { calls: [call('call_readme_read', 'read', { filePath: 'README.md' })] },
          { calls: [call('call_readme_write', 'edit', { filePath: 'README.md', oldString: 'Reads dates', newString: `${example}\n\nReads dates` })] },
          { calls: [call('call_readme_again', 'read', { filePath: 'README.md' })], after: cancel },
        ],
        (conversation) =>
          conversation.result('call_readme_again')?.includes(example)
            ? 'The README shows an example now. The edit of the run that was cancelled was still there.'
            : 'The README shows no example: the edit is gone.',
      ),
    )
    const first = await stage.comment(issue, 'alice', '/opencode add an example to the README')
    const stopped = await other
    const pushedThen = stage.pushes().length
    const askedThen = stage.asked().length
    const told = issue.comments.find(({ author }) => author === world.github.state.viewer)?.body ?? ''
    const third = await stage.comment(issue, 'alice', '/opencode continue')
    await stage.show(issue)
    const text = await world.remote('show', `${third.outputs.branch}:README.md`).catch(() => '')
    return [
      { told: 'The run was cancelled, and the cancel had its own green run', holds: outcomes(first, stopped) === 'cancelled success' },
      { told: 'Nothing was pushed then, and the thread said that it was stopped', holds: pushedThen === 0 && /stopped/i.test(told) },
      {
        told: 'The next run went on: its first request holds the earlier edit and its result',
        holds: stage.asked()[askedThen]?.includes('call_readme_write') === true,
      },
      { told: 'The edit of the cancelled run is on the branch', holds: third.outputs.conclusion === 'success' && text.includes(example) },
    ]
  },
}

export const refusalScene: Scene = {
  name: 'Pushes that are refused: a branch beside it, then a patch',
  async play(stage) {
    const { world } = stage
    const heading = (version: string) => `# Changes\n\n## ${version}\n\nReads German dates.\n`
    const pull = await stage.pull('bob', 'release', { 'CHANGELOG.md': heading('1.1.0') }, 'Release 1.1.0', 'What is new.')
    const edit = (id: string, oldString: string, newString: string) => ({ calls: [call(id, 'edit', { filePath: 'CHANGELOG.md', oldString, newString })] })

    world.github.refusePush({ branch: 'release' }, 'protected-branch')
    stage.follow(follow([edit('call_release_date', '## 1.1.0', '## 1.1.0 (2024-03-01)')], () => 'The heading carries the date.'))
    const first = await stage.comment(pull, 'alice', '/opencode put the date, 1 March 2024, into the heading')
    const beside = first.outputs.branch ?? ''
    const text = await world.remote('show', `${beside}:CHANGELOG.md`).catch(() => '')

    world.github.refusePush({}, { kind: 'rules', details: ['Pushes are closed during the release.'] })
    stage.follow(follow([edit('call_release_word', 'Reads German dates.', 'Reads German dates, too.')], () => 'I added the word.'))
    const second = await stage.comment(pull, 'alice', '/opencode say that German dates are read, too')
    await stage.show(pull)
    const [one = '', two = ''] = pull.comments.filter(({ author }) => author === world.github.state.viewer).map(({ body }) => body)
    return [
      { told: 'Both runs end red, since the work is not where it was wanted', holds: outcomes(first, second) === 'failure failure' },
      { told: 'The first edit is on a branch of its own', holds: beside !== '' && beside !== 'release' && text.includes('(2024-03-01)') },
      {
        told: "The reply says why, in the remote's words, and links to the comparison",
        holds: /GH006|Protected branch/i.test(one) && one.includes('/compare/'),
      },
      { told: 'The second edit is a patch in the reply', holds: /GH013|Pushes are closed/i.test(two) && two.includes('+Reads German dates, too.') },
    ]
  },
}

const outcomes = (...runs: readonly (RunResult | undefined)[]): string => runs.map((run) => run?.outputs.conclusion).join(' ')
