import { expect, test } from 'vitest'
import { GitHubError } from '../../src/github/errors.ts'
import { openDesk } from '../../src/publish/desk.ts'
import { fakeGitHub, refusal } from './fake.ts'

const done = (comment: number | undefined) => Promise.resolve(comment === undefined ? 'done' : `done, kept for ${comment}`)

test('the desk sets the reaction, posts the working comment, and leaves by the reaction id', async () => {
  const github = fakeGitHub()
  const desk = await openDesk(github, { number: 12, request: { comment: 5 } }, 'working')
  await desk.say(done)
  await desk.leave()
  expect(github.calls).toEqual([
    ['createComment', 12, 'working'],
    ['react', { comment: 5 }],
    ['updateComment', 100, 'done, kept for 100'],
    ['unreact', { comment: 5 }, 77],
  ])
})

test('C131 a reaction that can be neither set nor removed fails nothing', async () => {
  const github = fakeGitHub({ react: () => Promise.reject(refusal('missing')), unreact: () => Promise.reject(refusal('forbidden')) })
  const desk = await openDesk(github, { number: 12, request: { comment: 5 } }, 'working')
  await desk.leave()
  expect(desk.comment?.id).toBe(100)
})

test('C124 a locked conversation gives a desk without a comment, and a note', async () => {
  const github = fakeGitHub({ createComment: () => Promise.reject(refusal('locked')) })
  const desk = await openDesk(github, { number: 12, request: { issue: 12 } }, 'working')
  expect(desk.comment).toBeUndefined()
  expect(desk.notes[0]).toContain('locked')
  expect(await desk.say(done)).toBeUndefined()
})

test('C131 a token that may not comment is found out at once, and its reaction does not stay', async () => {
  const github = fakeGitHub({ createComment: () => Promise.reject(refusal('forbidden')) })
  await expect(openDesk(github, { number: 12, request: { comment: 5 } }, 'working')).rejects.toThrow(GitHubError)
  expect(github.calls.at(-1)).toEqual(['unreact', { comment: 5 }, 77])
})

test('C139 a comment that may not be edited is replaced by a new one, with what is hidden bound to that', async () => {
  let posted = 99
  const createComment = () => Promise.resolve({ id: ++posted, url: '' })
  const refusing = fakeGitHub({
    createComment,
    updateComment: (id, body) => (id === 100 ? Promise.reject(refusal('missing')) : Promise.resolve({ id, url: body })),
  })
  const desk = await openDesk(refusing, { number: 12, request: { comment: 5 } }, 'working')
  expect(await desk.say(done)).toEqual({ id: 101, url: 'done, kept for 101' })
  expect(refusing.calls.filter(([name]) => name === 'deleteComment')).toEqual([['deleteComment', 100]])
})

test('C139 where nothing may be edited, what a new comment says is true all the same, and the old one keeps what it holds', async () => {
  const github = fakeGitHub({ updateComment: () => Promise.reject(refusal('forbidden')) })
  const desk = await openDesk(github, { number: 12, request: { comment: 5 } }, 'working')
  await desk.say(done)
  expect(github.calls.filter(([name]) => name === 'createComment' || name === 'deleteComment')).toEqual([
    ['createComment', 12, 'working'],
    ['createComment', 12, expect.stringMatching(/^done\n\n> The next turn will not know of this one.* may still say that this run is at work\.$/)],
  ])
})
