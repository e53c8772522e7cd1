import type { GitHub, PostedComment } from '../github/types.ts'
import type { Header } from './codec.ts'

/** A place where the bot speaks: the conversation, or the thread of a remark on the diff. Its methods throw `GitHubError`. */
export interface Voice {
  /** The row of numbers that its comments' ids are from, where it is not the conversation's. */
  readonly row?: Header['row']
  create(body: string): Promise<PostedComment>
  update(id: number, body: string): Promise<PostedComment>
  remove(id: number): Promise<void>
}

/** Speaks in the conversation of an issue or pull request. */
export function inConversation(github: Pick<GitHub, 'createComment' | 'updateComment' | 'deleteComment'>, number: number): Voice {
  return {
    create: (body) => github.createComment(number, body),
    update: (id, body) => github.updateComment(id, body),
    remove: (id) => github.deleteComment(id),
  }
}

/** Speaks in the thread of a remark on a pull request's diff; `thread` is the remark that began it. */
export function inRemarkThread(github: Pick<GitHub, 'replyToRemark' | 'updateRemark' | 'deleteRemark'>, pull: number, thread: number): Voice {
  return {
    row: 'review-comment',
    create: (body) => github.replyToRemark(pull, thread, body),
    update: (id, body) => github.updateRemark(id, body),
    remove: (id) => github.deleteRemark(id),
  }
}
