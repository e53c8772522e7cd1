import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Start, Workspace } from '../../src/workspace/types.ts'
import { git } from '../support/git-server.ts'
import { makeWorld, publish, type World, write } from './git-world.ts'

let world: World
let root: string
let workspace: Workspace
let start: Start
beforeEach(async () => {
  world = await makeWorld()
  root = await world.checkout()
  workspace = await world.open(root)
  start = await workspace.start('main')
})
afterEach(() => world.close())

const key = 'q7Zk2mVx9Lw4RtB8'
const isSecret = (text: string) => text.includes(key)
const changes = () => workspace.changes(start, isSecret)
const paths = async () => (await changes()).files.map(({ path }) => path)

describe('C140 a secret that a command has copied is not published', () => {
  test('in the content of a file, which is left out by name', async () => {
    await write(root, 'copied.env', `KEY=${key}\n`)
    await write(root, 'other.txt', 'harmless\n')
    expect(await paths()).toEqual(['other.txt'])
    expect((await changes()).warnings).toEqual(['copied.env was left out: it holds a secret of this run.'])
  })

  test('in the name of a file, which is not said', async () => {
    await mkdir(join(root, key))
    await write(root, `${key}/x.txt`, 'harmless\n')
    expect(await changes()).toMatchObject({ none: true, warnings: ['A file was left out: it holds a secret of this run.'] })
  })

  test('in a link', async () => {
    await git(root, 'config', 'core.symlinks', 'true')
    await symlink(`/run/${key}`, join(root, 'link'))
    expect(await paths()).toEqual([])
  })

  test.each([
    ['a file that is gone again', async () => void (await write(root, 'copied.env', `KEY=${key}\n`))],
    ['its message', async () => undefined],
  ])('in a commit of the model’s own: %s', async (what, act) => {
    const identity = ['-c', 'user.name=Agent', '-c', 'user.email=agent@example.com']
    await act()
    await write(root, 'other.txt', 'harmless\n')
    await git(root, 'add', '--all')
    await git(root, ...identity, 'commit', '--quiet', '--message', what === 'its message' ? `With ${key}` : 'first')
    await git(root, 'rm', '--quiet', '--ignore-unmatch', 'copied.env')
    await git(root, ...identity, 'commit', '--quiet', '--allow-empty', '--message', 'second')
    const found = await changes()
    expect(found).toMatchObject({ parent: start.commit, files: [{ path: 'other.txt', status: 'added' }] })
  })
})

test('a file that held it before may be changed', async () => {
  await world.push('known', { 'k.env': `KEY=${key}\n` })
  start = await workspace.start('known')
  await write(root, 'k.env', `KEY=${key}\nMORE=1\n`)
  expect(await paths()).toEqual(['k.env'])
})

test('the model’s own commits stay where they tell nothing', async () => {
  await write(root, 'other.txt', 'harmless\n')
  await git(root, 'add', '--all')
  await git(root, '-c', 'user.name=Agent', '-c', 'user.email=agent@example.com', 'commit', '--quiet', '--message', 'own')
  expect((await changes()).parent).toBe(await git(root, 'rev-parse', 'HEAD'))
  expect((await publish(workspace, start)).pushed).toEqual({ kind: 'pushed' })
})
