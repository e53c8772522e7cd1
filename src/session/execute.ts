import { messageOf } from '../failure.ts'
import { allowed, authorize, type Rules } from '../tool/permission.ts'
import type { Tool } from '../tool/tool.ts'
import { resolveCall } from './calls.ts'
import { cleanToolName } from './clean.ts'
import type { Hooks } from './hooks.ts'
import type { Assistant, ToolPart, ToolState } from './message.ts'
import type { Call } from './processor.ts'
import type { Clock, Recorder } from './record.ts'
import type { RepeatGuard } from './repeat-guard.ts'
import { interrupted } from './tool-state.ts'

/** Time a tool has, after the run was stopped, to end by itself, in ms (the engine's description 2.6). */
const GRACE = 250

interface Context {
  readonly record: Recorder
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly tools: readonly Tool[]
  readonly guard: RepeatGuard
  readonly hooks: Hooks
  /** What the agent may do in this session. */
  readonly rules: Rules
  /** The text that is added to the result of a call that goes in circles (DECISIONS 4). */
  warn(tool: string, count: number): string
}

/**
 * Carries out the calls of one answer side by side; every call ends as completed or error. When the run is stopped, tools get
 * the signal and 250 ms, then what is left is marked as interrupted, with what it had shown so far.
 */
export async function executeCalls(calls: readonly Call[], message: Assistant, context: Context): Promise<void> {
  const running = calls.map((call) => startCall(call, message, context))
  const all = Promise.all(running.map(({ done }) => done))
  const stop = new AbortController()
  await Promise.race([all, graceAfter(context, stop.signal)])
  stop.abort()
  for (const call of running) call.abandon()
}

/** Answers every call with the same error without carrying it out. */
export function refuseCalls(calls: readonly Call[], reason: string, { record, clock, tools }: Pick<Context, 'record' | 'clock' | 'tools'>): void {
  for (const call of calls) {
    const now = clock.now()
    const { name } = resolveCall(call, tools)
    record.part({
      ...call.part,
      tool: cleanToolName(name),
      state: { status: 'error', input: call.part.state.input, error: reason, time: { start: now, end: now } },
    })
  }
}

async function graceAfter({ clock, signal }: Context, stop: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true, signal: stop })
      stop.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  await clock.sleep(GRACE, stop)
}

function startCall(call: Call, message: Assistant, context: Context): { done: Promise<void>; abandon(): void } {
  const { record, clock, signal, guard, hooks } = context
  const resolved = resolveCall(call, context.tools)
  const tool = cleanToolName(resolved.name)
  const start = clock.now()
  let part: ToolPart = { ...call.part, tool }
  let open = true
  const settle = (state: ToolState) => {
    if (!open) return
    open = false
    part = record.part({ ...part, state })
  }
  const failed = (error: string, input: Record<string, unknown>): ToolState => {
    const metadata = part.state.status === 'running' && part.state.metadata ? { metadata: part.state.metadata } : {}
    return { status: 'error', input, error, ...metadata, time: { start, end: clock.now() } }
  }

  if ('problem' in resolved) {
    guard.malformed()
    settle(failed(resolved.problem, call.part.state.input))
    return { done: Promise.resolve(), abandon() {} }
  }

  const { input } = resolved
  const repeated = guard.call(tool, call.input)
  const note = repeated === undefined ? '' : `\n\n${context.warn(tool, repeated)}`
  part = record.part({ ...part, state: { status: 'running', input: call.part.state.input, time: { start } } })

  const run = async () => {
    try {
      const about = { tool, sessionID: record.store.session.id, callID: part.callID }
      const { args } = await hooks.trigger('tool.execute.before', about, { args: input })
      // After the hooks: what is judged is what is carried out.
      await authorize(resolved.tool, args, context.rules)
      const result = await resolved.tool.execute(args, {
        sessionID: record.store.session.id,
        messageID: message.id,
        callID: part.callID,
        agent: message.agent,
        signal,
        ask: (need) => allowed([need], context.rules),
        metadata(update) {
          if (open && part.state.status === 'running') part = record.part({ ...part, state: { ...part.state, ...update } })
        },
      })
      const { attachments } = result
      const shown = { title: result.title, output: result.output, metadata: { ...result.metadata } }
      const { title, output, metadata } = await hooks.trigger('tool.execute.after', { ...about, args }, shown)
      settle({
        status: 'completed',
        input: call.part.state.input,
        output: output + note,
        title,
        metadata,
        ...(attachments?.length ? { attachments: [...attachments] } : {}),
        time: { start, end: clock.now() },
      })
    } catch (error) {
      settle(signal.aborted ? interrupted(part.state, clock.now()) : failed(messageOf(error) + note, call.part.state.input))
    }
  }
  return { done: run(), abandon: () => settle(interrupted(part.state, clock.now())) }
}
