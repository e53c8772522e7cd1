import fc from 'fast-check'
import { expect, test } from 'vitest'
import { finderOf } from './watch.ts'

/** The corpus is worth what its eyes are: a secret must be seen in whatever form it leaves. */

const secret = 'q7Zk2mVx9-Lw4RtB.8nYc'
const find = finderOf({ 'the key': secret, other: 'nothing like it 0123456789' })
const bytes = Buffer.from(secret)
const reversed = (text: string) => [...text].reverse().join('')

test.each([
  ['as it is', secret],
  ['as base64', bytes.toString('base64')],
  ['as base64 within more', Buffer.from(`DEPLOY_KEY=${secret}\n`).toString('base64')],
  ['as base64 for addresses', Buffer.from(`??${secret}??`).toString('base64url')],
  ['as hex', bytes.toString('hex')],
  ['as hex in capitals', bytes.toString('hex').toUpperCase()],
  ['percent-encoded', [...bytes].map((byte) => `%${byte.toString(16)}`).join('')],
  ['backwards', reversed(secret)],
  ['as base64 backwards', reversed(bytes.toString('base64'))],
  ['in pieces', (secret.match(/.{1,3}/g) ?? []).join(' ')],
  ['in lines of its own', [...secret].join('\n')],
  ['as a list in JSON', JSON.stringify(secret.match(/.{1,4}/g))],
  ['as hex in pairs', (bytes.toString('hex').match(/../g) ?? []).join(':')],
])('a secret is seen %s', (_, form) => {
  expect(find(`before ${form} after`)).toEqual(['the key'])
})

test('nothing is seen in texts without it', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(find(text)).toEqual([])
    }),
  )
  expect(find(secret.slice(0, -3))).toEqual([])
})
