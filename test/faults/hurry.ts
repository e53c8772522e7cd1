import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'

/**
 * Loaded into the action before itself (`node --import`): its process lives ten times as fast, clock and waits alike, so that a sweep need not sit
 * through every pause before a retry. The time limits of single requests (`AbortSignal.timeout`) stay as they are.
 */
const speed = 10
const began = Date.now()
const now = Date.now
const since = performance.now.bind(performance)
const { setTimeout: later, setInterval: often } = globalThis
const { setTimeout: sleep } = timers

Date.now = () => Math.round(began + (now() - began) * speed)
performance.now = () => since() * speed
Object.assign(globalThis, {
  setTimeout: Object.assign((act: (...args: unknown[]) => void, ms = 0, ...rest: unknown[]) => later(act, ms / speed, ...rest), later),
  setInterval: Object.assign((act: (...args: unknown[]) => void, ms = 0, ...rest: unknown[]) => often(act, ms / speed, ...rest), often),
})
Object.assign(timers, { setTimeout: <T>(ms = 0, value?: T, options?: Parameters<typeof sleep>[2]) => sleep(ms / speed, value, options) })
syncBuiltinESMExports()
