import { expect, test } from 'vitest'
import { GitHubError } from '../../src/github/errors.ts'
import { openDesk } from '../../src/publish/desk.ts'
import { fakeGitHub, refusal } from './fake.ts'

test('the desk sets the reaction, posts the working comment, and leaves by the reaction id', async () => {
  const github = fakeGitHub()
  const desk = await openDesk(github, { number: 12, request: { comment: 5 } }, 'working')
  await desk.say('done')
  await desk.leave()
  expect(github.calls).toEqual([
    ['createComment', 12, 'working'],
    ['react', { comment: 5 }],
    ['updateComment', 100, 'done'],
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
  expect(await desk.say('done')).toBeUndefined()
})

test('C131 a token that may not comment is found out at once, and its reaction does not stay', async () => {
  const github = fakeGitHub({ createComment: () => Promise.reject(refusal('forbidden')) })
  await expect(openDesk(github, { number: 12, request: { comment: 5 } }, 'working')).rejects.toThrow(GitHubError)
  expect(github.calls.at(-1)).toEqual(['unreact', { comment: 5 }, 77])
})

test('C139 a comment that may not be edited is followed by a new one', async () => {
  const github = fakeGitHub({ updateComment: () => Promise.reject(refusal('forbidden')) })
  const desk = await openDesk(github, { number: 12, request: { comment: 5 } }, 'working')
  await desk.say('done')
  expect(github.calls.filter(([name]) => name === 'createComment')).toEqual([
    ['createComment', 12, 'working'],
    ['createComment', 12, 'done'],
  ])
})
