import type { Octokit } from '@octokit/rest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { World } from '../../src/local/world.ts'
import { octokitOf, refusal } from '../support/local.ts'
import { openWorld } from '../support/world.ts'

let world: World
let octokit: Octokit
let number: number
const repo = { owner: 'octo', repo: 'demo' }
beforeEach(async () => {
  world = await openWorld({ labels: ['bug', 'Needs: info'] })
  octokit = octokitOf(world)
  number = world.github.openIssue({ title: 'Dates are off', body: 'By a *month*.', author: 'rita' }).number
})
afterEach(() => world.close())
const issue = () => ({ ...repo, issue_number: number })

test('knows the labels of the repository, adds them whatever their case and takes them away', async () => {
  expect((await octokit.issues.listLabelsForRepo(repo)).data.map(({ name }) => name)).toEqual(['bug', 'Needs: info'])
  const { data } = await octokit.issues.addLabels({ ...issue(), labels: ['BUG', 'needs: info'] })
  expect(data.map(({ name }) => name)).toEqual(['bug', 'Needs: info'])
  await octokit.issues.removeLabel({ ...issue(), name: 'Needs: info' })
  expect(world.github.thread(number).labels).toEqual(['bug'])
  expect(await refusal(octokit.issues.removeLabel({ ...issue(), name: 'none' }))).toMatchObject({
    status: 404,
    text: expect.stringContaining('Label does not exist'),
  })
})

test('assigns who may write and leaves out the others without a word', async () => {
  const { data } = await octokit.issues.addAssignees({ ...issue(), assignees: ['alice', 'rita', 'nobody'] })
  expect(data.assignees?.map(({ login }) => login)).toEqual(['alice'])
  expect((await octokit.issues.removeAssignees({ ...issue(), assignees: ['alice'] })).data.assignees).toEqual([])
})

test('closes for a reason and opens again', async () => {
  const { data } = await octokit.issues.update({ ...issue(), state: 'closed', state_reason: 'not_planned' })
  expect(data).toMatchObject({ state: 'closed', state_reason: 'not_planned' })
  expect((await octokit.issues.update({ ...issue(), state: 'open' })).data).toMatchObject({ state: 'open', state_reason: null })
})

test('searches issues by words in title and body, within the repository', async () => {
  world.github.openIssue({ title: 'Times are off', author: 'rita' })
  const old = world.github.openIssue({ title: 'Month wrong in dates', author: 'alice' })
  world.github.closeThread(old.number, 'duplicate')
  await world.push('fix', { 'a.txt': 'a\n' }, 'main')
  await world.github.openPull({ title: 'Fix dates and month', author: 'alice', head: 'fix' })
  const search = async (q: string, more: object = {}) => (await octokit.search.issuesAndPullRequests({ q, ...more })).data
  const titles = async (q: string) => (await search(q)).items.map(({ title }) => title)
  expect(await titles('repo:octo/demo dates month')).toEqual(['Fix dates and month', 'Month wrong in dates', 'Dates are off'])
  expect(await titles('repo:octo/demo is:issue dates month')).toEqual(['Month wrong in dates', 'Dates are off'])
  expect(await titles('repo:octo/demo is:issue is:open "are off" -times')).toEqual(['Dates are off'])
  expect(await titles('repo:octo/other dates')).toEqual([])
  expect(await search('repo:octo/demo off', { per_page: 1 })).toMatchObject({ total_count: 2, items: [{ title: 'Times are off' }] })
  expect((await refusal(search(`repo:octo/demo ${'word '.repeat(60)}`))).status).toBe(422)
})
