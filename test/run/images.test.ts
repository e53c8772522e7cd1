import { expect, test } from 'vitest'
import { z } from 'zod'
import { withFittingImages } from '../../src/run/wrappers.ts'
import type { Image } from '../../src/session/images.ts'
import type { Tool, ToolContext } from '../../src/tool/tool.ts'

const context: ToolContext = { sessionID: 's', messageID: 'm', callID: 'c', agent: 'build', signal: AbortSignal.timeout(10_000), metadata: () => undefined }
const url = (mime: string, text: string) => `data:${mime};base64,${Buffer.from(text).toString('base64')}`

/** A tool that hands back these files. */
function handing(...attachments: { mime: string; url: string }[]): Tool {
  const files = attachments.map((file) => ({ type: 'file' as const, ...file }))
  return {
    id: 'shot',
    description: '',
    parameters: z.object({}),
    execute: () => Promise.resolve({ title: '', output: 'Here.', metadata: {}, attachments: files }),
  }
}

const halve = (image: Image) => Promise.resolve({ mime: 'image/jpeg', data: image.data.subarray(0, image.data.length / 2) })

test('images of a tool are made to fit; other files pass', async () => {
  const tool = withFittingImages(
    handing({ mime: 'image/png', url: url('image/png', 'abcd') }, { mime: 'application/pdf', url: url('application/pdf', 'pdf') }),
    halve,
  )
  const { attachments, output } = await tool.execute({}, context)
  expect(attachments).toMatchObject([
    { mime: 'image/jpeg', url: url('image/jpeg', 'ab') },
    { mime: 'application/pdf', url: url('application/pdf', 'pdf') },
  ])
  expect(output).toBe('Here.')
})

test('an image that can not be made to fit is left out, and the model is told', async () => {
  const tool = withFittingImages(handing({ mime: 'image/gif', url: url('image/gif', 'abcd') }), () => Promise.resolve(undefined))
  const { attachments, output } = await tool.execute({}, context)
  expect(attachments).toEqual([])
  expect(output).toContain('1 image(s) too large for a model were left out')
})
