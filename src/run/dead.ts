import type { ReactionTarget } from '../github/types.ts'
import { failureBody } from '../report/reply.ts'
import { closedBody } from '../thread/checkpoint.ts'
import type { PostedClaim } from '../thread/claim.ts'
import type { Floor } from './floor.ts'
import { leftBehind, newestOf } from './handover.ts'
import type { Hearing } from './hearing.ts'
import { addressOf, type Request } from './job.ts'
import type { Scene } from './scene.ts'

/** Where runs that died can be seen: by their comments and by the reactions on their requests they go on saying that they are at work. */
interface Place {
  readonly scene: Pick<Scene, 'discussion'>
  readonly floor: Pick<Floor, 'dead' | 'comments'>
  readonly hearing: Pick<Hearing, 'inbox'> | undefined
}

/** After a turn that holds all that the dead have left: takes their comments away. Never throws. */
export async function clearAway({ github }: Request, place: Place): Promise<void> {
  await eachDead(github, place, ({ comment }) => github.deleteComment(comment))
}

/** After a run that failed too: says in the comments of the dead that they are over. What is hidden there stays, for the next run to go on with. Never throws. */
export async function closeUp({ github, runner }: Request, place: Place): Promise<void> {
  const comments = newestOf(place.scene.discussion?.comments ?? [], seenIn(place))
  await eachDead(github, place, async ({ comment, run }) => {
    const words = failureBody({
      message: 'It ended without a word of its own.',
      hint: 'The next request here, such as `/opencode continue`, goes on with its work.',
      runUrl: `${addressOf(runner)}/actions/runs/${run}`,
      cancelled: true,
    })
    const body = closedBody(comments.get(comment)?.body ?? '', words)
    if (body !== undefined) await github.updateComment(comment, body)
  })
}

async function eachDead(github: Request['github'], place: Place, bury: (claim: PostedClaim) => Promise<unknown>): Promise<void> {
  const dead = leftBehind(place.floor.dead, seenIn(place))
  const each = async (claim: PostedClaim) => {
    const target = targetOf(claim.request, place.scene.discussion?.number ?? 0)
    // GitHub sets a reaction once, so asking for it again tells which it is.
    const reacted = github.react(target).then((reaction) => github.unreact(target, reaction))
    await Promise.allSettled([bury(claim), reacted])
  }
  await Promise.all(dead.map(each))
}

const seenIn = ({ floor, hearing }: Place) => hearing?.inbox.seen() ?? floor.comments

/** What the reaction of a run was set on, by the key of its request. */
function targetOf(request: string, issue: number): ReactionTarget {
  const [kind, id] = request.split(':')
  if (kind === 'comment') return { comment: Number(id) }
  return kind === 'review-comment' ? { reviewComment: Number(id) } : { issue }
}
