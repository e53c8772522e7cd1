import { messageOf } from '../failure.ts'
import type { Texts } from '../prompt/texts.ts'
import type { Tool } from '../tool/tool.ts'
import { newAnswer } from './answer.ts'
import { ascending } from './id.ts'
import type { ModelRef, ToolPart, ToolState, WithParts } from './message.ts'
import type { Clock, Recorder } from './record.ts'
import { putUser, synthetic } from './user.ts'

/** Milliseconds; the run's own end comes long before. A person's command has no limit of its own. */
const TIMEOUT = 2 ** 31 - 1

interface Context {
  readonly record: Recorder
  readonly clock: Clock
  readonly texts: Texts
  readonly tools: readonly Tool[]
  readonly signal: AbortSignal
}

/**
 * Runs a command for a person and records it as a call of the `bash` tool that the model sees next time (the engine's description 2.18):
 * a synthetic user message, and an answer whose only part is the call. What the tool shows while it runs goes into the part. However
 * the command ends, the call is completed; one that was stopped says so. No rules apply: it is the person's own command.
 */
export async function runForUser(command: string, about: { agent: string; model: ModelRef }, context: Context): Promise<WithParts> {
  const { record, clock, texts, signal } = context
  const tool = context.tools.find(({ id }) => id === 'bash')
  if (!tool) throw new Error('there is no bash tool in this session')
  const question = putUser([synthetic(texts('user-shell'))], about, context)
  const start = clock.now()
  const info = record.message(newAnswer({ parentID: question.info.id, ...about }, start))
  const input = { command }
  let part = record.part<ToolPart>({
    id: ascending('prt', start),
    messageID: info.id,
    type: 'tool',
    callID: ascending('call', start),
    tool: tool.id,
    state: { status: 'running', input, title: command, time: { start } },
  })
  const show = (state: ToolState) => {
    part = record.part({ ...part, state })
  }

  const shown = () => (part.state.status === 'running' ? (part.state.metadata ?? {}) : {})
  try {
    const result = await tool.execute(
      { ...input, timeout: TIMEOUT },
      {
        sessionID: record.store.session.id,
        messageID: info.id,
        callID: part.callID,
        agent: about.agent,
        signal,
        metadata(update) {
          if (part.state.status === 'running') show({ ...part.state, ...update })
        },
      },
    )
    const { title, output, metadata } = result
    show({ status: 'completed', input, output, title, metadata: { ...shown(), ...metadata }, time: { start, end: clock.now() } })
  } catch (error) {
    const soFar = typeof shown().output === 'string' ? `${shown().output}\n` : ''
    const output = `${soFar}${signal.aborted ? '(stopped: the command was cancelled)' : messageOf(error)}`
    show({ status: 'completed', input, output, title: command, metadata: shown(), time: { start, end: clock.now() } })
  }
  return { info: record.message({ ...info, time: { created: start, completed: clock.now() } }), parts: [part] }
}
