import { describe, expect, test } from 'vitest'
import { CancelledError, SessionBusyError } from '../../src/session/refusals.ts'
import { createRunner, type Work } from '../../src/session/runner.ts'

/** Work that a test ends by hand; it notes whether it was started and cut off. */
function gate<T>() {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const started = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  const work: Work<T> = (signal) => {
    started.resolve()
    signal.addEventListener('abort', () => aborted.resolve())
    return promise
  }
  return { work, resolve, reject, started: started.promise, aborted: aborted.promise }
}

/** Work that runs until it is cancelled. */
const forever: Work<string> = (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut off'))))

const never = () => {
  throw new Error('this work must not run')
}

describe('one run at a time', () => {
  test('starts work and gives its value', async () => {
    expect(await createRunner<string>().ensureRunning(async () => 'done')).toBe('done')
  })

  test('gives a failure to the caller, also one thrown at once', async () => {
    const runner = createRunner<string>()
    await expect(runner.ensureRunning(() => Promise.reject(new Error('boom')))).rejects.toThrow('boom')
    await expect(runner.ensureRunning(never)).rejects.toThrow('must not run')
  })

  test('callers at the same time share one run and its value; the second one’s own work is not executed', async () => {
    const runner = createRunner<string>()
    const first = gate<string>()
    const results = Promise.all([runner.ensureRunning(first.work), runner.ensureRunning(never)])
    first.resolve('shared')
    expect(await results).toEqual(['shared', 'shared'])
  })

  test('callers at the same time share one failure', async () => {
    const runner = createRunner<string>()
    const first = gate<string>()
    const results = Promise.allSettled([runner.ensureRunning(first.work), runner.ensureRunning(never)])
    first.reject(new Error('boom'))
    const [one, two] = await results
    expect(one).toMatchObject({ status: 'rejected', reason: { message: 'boom' } })
    expect(two).toEqual(one)
  })

  test('can run again after success and after failure', async () => {
    const runner = createRunner<string>()
    expect(await runner.ensureRunning(async () => 'first')).toBe('first')
    await expect(runner.ensureRunning(() => Promise.reject(new Error('boom')))).rejects.toThrow('boom')
    expect(await runner.ensureRunning(async () => 'third')).toBe('third')
  })

  test('work that calls back finds itself running and joins itself', async () => {
    const runner = createRunner<string>()
    let inner: Promise<string> | undefined
    const outer = runner.ensureRunning(async () => {
      inner = runner.ensureRunning(never)
      return 'outer'
    })
    expect(await outer).toBe('outer')
    expect(await inner).toBe('outer')
  })
})

describe('cancel', () => {
  test('cuts running work off', async () => {
    const runner = createRunner<string>()
    const running = runner.ensureRunning(forever)
    const refused = expect(running).rejects.toThrow(CancelledError)
    await runner.cancel()
    await refused
    expect(runner.state).toBe('Idle')
  })

  test('does nothing when idle', async () => {
    let idle = 0
    const runner = createRunner<string>({ onIdle: () => void idle++ })
    await runner.cancel()
    expect(idle).toBe(0)
  })

  test('gives those who wait what stands in for the result; without it they fail as cancelled', async () => {
    const withValue = createRunner<string>({ onInterrupt: async () => 'so far' })
    const results = Promise.all([withValue.ensureRunning(forever), withValue.ensureRunning(never)])
    await withValue.cancel()
    expect(await results).toEqual(['so far', 'so far'])

    const without = createRunner<string>()
    const failures = Promise.allSettled([without.ensureRunning(forever), without.ensureRunning(never)])
    await without.cancel()
    expect((await failures).map((each) => (each.status === 'rejected' ? each.reason : undefined))).toEqual([
      expect.any(CancelledError),
      expect.any(CancelledError),
    ])
  })

  test('gives the value that stands in even when the work still ended well', async () => {
    const runner = createRunner<string>({ onInterrupt: () => 'so far' })
    const slow = gate<string>()
    const running = runner.ensureRunning(slow.work)
    await slow.started
    const cancelled = runner.cancel()
    slow.resolve('too late')
    await cancelled
    expect(await running).toBe('so far')
  })

  test('before the work began, it never begins', async () => {
    const runner = createRunner<string>({ onInterrupt: () => 'so far' })
    const running = runner.ensureRunning(never)
    await runner.cancel()
    expect(await running).toBe('so far')
  })

  test('work can start afterwards', async () => {
    const runner = createRunner<string>({ onInterrupt: () => 'so far' })
    const running = runner.ensureRunning(forever)
    await runner.cancel()
    await running
    expect(await runner.ensureRunning(async () => 'again')).toBe('again')
  })

  test('waits until the work has ended; what starts meanwhile is neither held up nor cut off', async () => {
    let idles = 0
    const runner = createRunner<string>({
      onInterrupt: () => 'so far',
      onIdle: () => {
        idles++
      },
    })
    const [old, replacement] = [gate<string>(), gate<string>()]
    const first = runner.ensureRunning(old.work)
    await old.started
    let ended = false
    const cancelled = runner.cancel().then(() => {
      ended = true
    })
    await old.aborted
    const second = runner.ensureRunning(replacement.work)
    await replacement.started
    expect(ended).toBe(false)
    expect(runner.state).toBe('Running')

    old.resolve('late')
    await cancelled
    expect(await first).toBe('so far')
    expect(runner.state).toBe('Running')
    expect(idles).toBe(0)
    replacement.resolve('new')
    expect(await second).toBe('new')
    expect(runner.state).toBe('Idle')
    expect(idles).toBe(1)
  })
})

describe('shell commands', () => {
  test('run alone and give their value', async () => {
    const runner = createRunner<string>()
    const shell = gate<string>()
    const running = runner.startShell(shell.work)
    await shell.started
    expect(runner.state).toBe('Shell')
    shell.resolve('output')
    expect(await running).toBe('output')
    expect(runner.state).toBe('Idle')
  })

  test('are refused while a run or another shell command is active', async () => {
    const runner = createRunner<string>({ onInterrupt: () => 'so far' })
    const run = runner.ensureRunning(forever)
    await expect(runner.startShell(never)).rejects.toThrow(SessionBusyError)
    await runner.cancel()
    await run
    const shell = runner.startShell(forever)
    await expect(runner.startShell(never)).rejects.toThrow(SessionBusyError)
    await runner.cancel()
    await shell
  })

  test('are cut off by a cancel, whether they have begun or not', async () => {
    const runner = createRunner<string>({ onInterrupt: () => 'so far' })
    const early = runner.startShell(never)
    await runner.cancel()
    expect(await early).toBe('so far')

    const begun = gate<string>()
    const running = runner.startShell(begun.work)
    await begun.started
    const cancelled = runner.cancel()
    await begun.aborted
    begun.resolve('partial')
    await cancelled
    expect(await running).toBe('so far')
  })

  test('a run asked for meanwhile waits and then runs; several callers share it', async () => {
    const runner = createRunner<string>()
    const shell = gate<string>()
    const run = gate<string>()
    let started = false
    const first = runner.startShell(shell.work)
    const waiting = Promise.all([
      runner.ensureRunning((signal) => {
        started = true
        return run.work(signal)
      }),
      runner.ensureRunning(never),
    ])
    await shell.started
    expect(runner.state).toBe('ShellThenRun')
    expect(started).toBe(false)
    shell.resolve('output')
    expect(await first).toBe('output')
    await run.started
    expect(runner.state).toBe('Running')
    run.resolve('answer')
    expect(await waiting).toEqual(['answer', 'answer'])
    expect(runner.state).toBe('Idle')
  })

  test('a run that waits behind a failing shell command still runs', async () => {
    const runner = createRunner<string>()
    const shell = runner.startShell(() => Promise.reject(new Error('boom')))
    const failed = expect(shell).rejects.toThrow('boom')
    expect(await runner.ensureRunning(async () => 'answer')).toBe('answer')
    await failed
  })

  test('a cancel ends both the command and the run behind it', async () => {
    const runner = createRunner<string>({ onInterrupt: () => 'so far' })
    const shell = runner.startShell(forever)
    const waiting = runner.ensureRunning(never)
    await runner.cancel()
    expect(await Promise.all([shell, waiting])).toEqual(['so far', 'so far'])
    expect(runner.state).toBe('Idle')
  })
})

test('says when it becomes idle, after work, a cancel and a shell command, and busy when a shell command starts', async () => {
  const told: string[] = []
  const runner = createRunner<string>({ onInterrupt: () => 'so far', onIdle: () => void told.push('idle'), onBusy: () => void told.push('busy') })
  await runner.ensureRunning(async () => 'done')
  expect(told).toEqual(['idle'])
  const running = runner.ensureRunning(forever)
  await runner.cancel()
  await running
  expect(told).toEqual(['idle', 'idle'])
  await runner.startShell(async () => 'output')
  expect(told).toEqual(['idle', 'idle', 'busy', 'idle'])
})
