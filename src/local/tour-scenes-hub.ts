import { schedulePayload } from './github/payloads.ts'
import { indent } from './print.ts'
import { call, follow } from './steps.ts'
import type { Scene } from './tour-stage.ts'

/** The scenes in which something is said or sorted on GitHub itself: a review, and a sweep that is only staged. */

const formatter = (month: string) => `/** Writes midnight UTC of a day as 2024-03-01. */
export function formatDate(date) {
  const two = (number) => String(number).padStart(2, "0")
  return \`\${date.getUTCFullYear()}-\${two(date.${month}() + 1)}-\${two(date.getUTCDate())}\`
}
`
const formatLine = (text: string) => text.split('\n')[3] ?? ''

export const reviewScene: Scene = {
  name: 'A review with a remark on a line and a suggestion',
  async play(stage) {
    const path = 'src/format-date.js'
    const finding = {
      path,
      line: 4,
      severity: 'high',
      title: 'The month is read in local time',
      body: 'West of Greenwich `getMonth` gives the month before on the first of each month, while year and day are read in UTC.',
      suggestion: formatLine(formatter('getUTCMonth')),
    }
    stage.follow(
      follow(
        [{ calls: [call('call_review_read', 'read', { filePath: path })] }, { calls: [call('call_review', 'review', { findings: [finding] })] }],
        () => 'One thing to mend: the month comes from the local clock. The rest reads well.',
      ),
    )
    const pull = await stage.pull('bob', 'format', { [path]: formatter('getMonth') }, 'Write dates, too', 'The way back from `parseDate`.')
    const result = await stage.comment(pull, 'alice', '/opencode')
    await stage.show(pull)
    const [review, ...others] = pull.pull?.reviews ?? []
    const [remark] = pull.pull?.remarks ?? []
    return [
      { told: 'The run succeeded', holds: result.outputs.conclusion === 'success' },
      { told: 'One review was posted, which neither approves nor asks for changes', holds: review?.state === 'COMMENTED' && others.length === 0 },
      {
        told: 'Its remark stands at the line and suggests the other one',
        holds: remark?.path === path && remark.line === 4 && /```suggestion[^`]*getUTCMonth/s.test(remark.comments[0]?.body.replaceAll('`$', '') ?? ''),
      },
      { told: 'Nothing was pushed', holds: stage.pushes().length === 0 },
    ]
  },
}

export const sweepScene: Scene = {
  name: 'A schedule that sorts an issue, staged: it shows what it would do',
  async play(stage) {
    const { world, print } = stage
    const older = stage.issue('bob', 'Dates with one digit are refused', '`parseDate("1.3.2024")` throws.')
    const issue = stage.issue('eve', 'parseDate("5.6.2024") throws', 'It should be read as 5 June.')
    stage.follow(
      follow(
        [
          { calls: [call('call_search', 'search_issues', { words: 'digit' }), call('call_labels', 'label', {})] },
          { calls: [call('call_label', 'label', { add: ['duplicate'] }), call('call_close', 'close_issue', { reason: 'not_planned' })] },
        ],
        (conversation) =>
          conversation.result('call_search')?.includes(`#${older.number}`)
            ? `This is #${older.number} again: days and months of one digit.`
            : 'I found no other issue like this one.',
      ),
    )
    const before = JSON.stringify([...world.github.state.threads])
    await world.checkout()
    print(`A schedule fires for issue #${issue.number}, with \`mode: staged\``)
    const result = await stage.run("the schedule's", {
      event: 'schedule',
      payload: schedulePayload(world.github, '0 6 * * 1-5'),
      inputs: {
        prompt: 'Sort this issue: set fitting labels, and close it if another one says the same.',
        target: `${issue.number}`,
        mode: 'staged',
        config: JSON.stringify({ github: { triage: { labels: ['bug', 'duplicate'], close: true } } }),
      },
    })
    await stage.show(issue)
    const [summary = ''] = result.summary.split('\n### Steps')
    print(`\nThe job summary, without its tables of steps and calls\n\n${indent(summary.trim())}`)
    return [
      { told: 'The run succeeded', holds: result.outputs.conclusion === 'success' },
      { told: 'The search found the older issue', holds: result.summary.includes(`This is #${older.number} again`) },
      { told: 'The summary tells of the label and the closing', holds: /duplicate/.test(result.summary) && /clos/i.test(result.summary) },
      {
        told: 'Nothing was written to GitHub, and nothing pushed',
        holds: JSON.stringify([...world.github.state.threads]) === before && stage.pushes().length === 0,
      },
    ]
  },
}
