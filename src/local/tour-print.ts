import type { RemarkThread, ReviewState } from './github/reviews.ts'
import type { PushAttempt, Thread } from './github/state.ts'
import { indent, post } from './print.ts'
import type { World } from './world.ts'

/** Threads of the tour as a person reads them on GitHub. */

interface Entry {
  readonly at: string
  readonly text: string
}

/** An issue or pull request from its first words to its last, reviews with their remarks included. */
export function threadText(thread: Thread): string {
  const { number, title, author, body, comments, pull, labels } = thread
  const kind = pull === undefined ? `issue #${number}` : `pull request #${number}`
  const where = pull === undefined ? '' : `  (${pull.head} -> ${pull.base})`
  const marks = labels.length === 0 ? '' : `  [${labels.join(', ')}]`
  const entries: Entry[] = [
    ...comments.map((comment) => ({ at: comment.createdAt, text: post(comment.author, 'commented', comment.body) })),
    ...(pull?.reviews ?? []).map((review) => ({ at: review.submittedAt, text: reviewText(review, pull?.remarks ?? []) })),
  ]
  const told = entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  return [post(author, `opened ${kind}: ${title}${where}${marks}`, body ?? ''), ...told.map(({ text }) => text)].join('')
}

function reviewText(review: ReviewState, remarks: readonly RemarkThread[]): string {
  const own = remarks.flatMap((thread) => thread.comments.filter((comment) => comment.review === review.id).map((comment) => ({ thread, comment })))
  const told = own.map(({ thread, comment }) => indent(post(comment.author, `at ${placeOf(thread)}`, comment.body, 'to know the finding again'), '    '))
  return `${post(review.author, `reviewed ${review.commit.slice(0, 7)}`, review.body, 'to know the review again')}${told.join('')}`
}

const placeOf = ({ path, line, startLine }: RemarkThread): string =>
  line === null ? `${path}, a line that is gone` : `${path}:${startLine === null ? '' : `${startLine}-`}${line}`

/** What a push did on its branch: the change it brought, or what the remote said when it was refused. `git` asks the remote. */
export async function pushText({ refs, refused }: PushAttempt, git: World['remote']): Promise<string> {
  const heads = refs.map(({ ref, before, after }) => {
    const from = /^0+$/.test(before) ? 'new' : before.slice(0, 7)
    return `${ref.replace('refs/heads/', '')}: ${from} -> ${after.slice(0, 7)}${refused === undefined ? '' : ', refused'}`
  })
  const said = refused?.split('\n').filter((line) => line.trim() !== '')
  const changes = said ?? (await Promise.all(refs.map(({ after }) => git('show', '--format=%an: %s', '--unified=1', after))))
  return [...heads, indent(changes.join('\n').trimEnd())].join('\n')
}
