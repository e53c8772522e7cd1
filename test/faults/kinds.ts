import type { FaultReply } from '../../src/local/github/journal.ts'
import type { Stop } from '../../src/local/stop.ts'
import type { World } from '../../src/local/world.ts'
import { type Call, meeting, type Reach } from './calls.ts'
import type { Disk } from './disk.ts'
import type { Weather, Wire } from './wire.ts'

/** The faults that are put into a run, one at one call. */

export interface Fault {
  readonly name: string
  /** Whether it makes sense at a call. */
  fits(call: Call): boolean
  /** Nothing gets through to GitHub any more for the rest of the run, so that nothing can be said in the thread. */
  readonly isFinal?: true
  /** The process is gone, so that only its clean-up step can speak. */
  readonly isDeadly?: true
  /** Needs a disk that can be filled. */
  readonly needsDisk?: true
  /** Puts it into a world. It lasts as long as its kind does, and no longer than to `lift`. */
  arm(field: Field, call: Call, facts: Facts): Armed
}

/** Where faults can be put. */
export interface Field {
  readonly world: World
  readonly wire: Wire
  readonly disk: Disk | undefined
}

/** What a fault may need to know of the run that went well. */
export interface Facts {
  /** The branch it pushed to. */
  readonly branch: string | undefined
  readonly isNew: boolean
}

export interface Armed {
  /** For the run's input. */
  readonly stop?: Stop
  lift(): void | Promise<void>
  /** Whether the call was made at all. */
  met(): boolean
}

const toGitHub = ({ to }: Call) => to !== 'model'
const toApi = ({ to }: Call) => to === 'api'
const toGit = ({ to }: Call) => to === 'git'
const anyCall = () => true

const limited = { message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.' }
const tooMany = { message: 'API rate limit exceeded for installation ID 1.' }
const broken: FaultReply = { status: 500, body: { message: 'Server Error' } }
const gateway: FaultReply = { status: 502, headers: { 'content-type': 'text/html' }, body: '<html><body>Unicorn! 502 Bad Gateway</body></html>' }
const expired = { status: 401, headers: { 'www-authenticate': 'Basic realm="GitHub"' }, body: { message: 'Bad credentials' } }

export const kinds: readonly Fault[] = [
  answers('reset before', toGitHub, 'once', { reset: 'before' }),
  answers('reset after', toGitHub, 'once', { reset: 'after' }),
  answers('reset during', toGit, 'once', { reset: 'during' }),
  answers('500', toApi, 'once', broken),
  answers('502 as HTML', toGitHub, 'once', gateway),
  answers('403 secondary rate limit', toApi, 'once', { status: 403, headers: { 'retry-after': '1' }, body: limited }),
  answers('429', toApi, 'once', { status: 429, headers: { 'retry-after': '1' }, body: tooMany }),
  answers('404', ({ to, isRead }) => isRead && to === 'api', 'once', { status: 404, body: { message: 'Not Found' } }),
  answers('500 for good', toApi, 'kind', broken),
  answers('reset for good', toGit, 'kind', { reset: 'before' }),
  { ...answers('token expired', toGitHub, 'all', expired), isFinal: true },
  { ...answers('network cut', toGitHub, 'all', { reset: 'before' }), isFinal: true },
  { name: 'push refused by rules', fits: ({ isPush }) => isPush, arm: refuse },
  { name: 'push raced', fits: ({ isPush }) => isPush, arm: race },
  fares('model 500', 'once', 'broken'),
  fares('model 500 for good', 'all', 'broken'),
  fares('model cut in its answer', 'once', 'cut'),
  fares('model cut for good', 'all', 'cut'),
  { name: 'disk full', fits: anyCall, needsDisk: true, arm: fill },
  ends('SIGTERM', 'SIGTERM', false),
  { ...ends('SIGKILL before', 'SIGKILL', false), isDeadly: true },
  { ...ends('SIGKILL after', 'SIGKILL', true), fits: toGitHub, isDeadly: true },
]

/** A fault that GitHub, or the way to it, answers with. */
function answers(name: string, fits: Fault['fits'], reach: Reach, reply: FaultReply): Fault {
  return {
    name,
    fits,
    arm({ world }, call) {
      const { meet, armed } = at(call, reach)
      world.github.fault(meet, reply, Number.POSITIVE_INFINITY)
      return armed
    },
  }
}

/** A fault of the model, or of the way to it. */
function fares(name: string, reach: 'once' | 'all', weather: Weather): Fault {
  return {
    name,
    fits: ({ to }) => to === 'model',
    arm({ wire }, { nth }) {
      wire.weather = (count) => (count === nth || (reach === 'all' && count > nth) ? weather : 'fine')
      const lift = () => {
        wire.weather = () => 'fine'
      }
      return { lift, met: () => wire.count >= nth }
    },
  }
}

/** A signal to the run at the moment of a call, which is carried out or not. */
function ends(name: string, signal: Stop['signal'], served: boolean): Fault {
  return {
    name,
    fits: anyCall,
    arm({ wire }, call) {
      if (call.to === 'model') return { stop: { signal, when: { model: call.nth } }, lift: () => undefined, met: () => wire.count >= call.nth }
      const { meet, armed } = at(call, 'once')
      return { ...armed, stop: { signal, when: { github: meet, served } } }
    },
  }
}

/** From the call on there is no room left, neither for the action's own files nor for those of the runner. */
function fill({ world, wire, disk }: Field, call: Call): Armed {
  const { meet, armed } = at(call, 'once')
  const filled = async () => void (await disk?.fill())
  let unwatch = () => {}
  if (call.to !== 'model') world.github.before(meet, filled)
  else unwatch = world.model?.watch(async () => void (wire.count >= call.nth && (await filled()))) ?? unwatch
  const lift = async () => {
    armed.lift()
    unwatch()
    await disk?.free()
  }
  return { lift, met: call.to === 'model' ? () => wire.count >= call.nth : armed.met }
}

/** A rule of the repository that begins with this push, and lets other branches pass. */
function refuse({ world }: Field, call: Call, { branch = '' }: Facts): Armed {
  const { meet, armed } = at(call, 'once')
  world.github.before(meet, () => world.github.refusePush({ branch }, 'rules', 1))
  return armed
}

/** Somebody else pushes to the branch, or makes one of that name, a moment before. */
function race({ world }: Field, call: Call, { branch, isNew }: Facts): Armed {
  const { meet, armed } = at(call, 'once')
  world.github.before(meet, async () => {
    if (branch !== undefined) await world.push(branch, { 'others.txt': 'Pushed by somebody else.\n' }, isNew ? world.github.state.defaultBranch : branch)
  })
  return armed
}

function at(call: Call, reach: Reach) {
  let isLifted = false
  const { matches, met } = meeting(call, reach, () => isLifted)
  const lift = () => {
    isLifted = true
  }
  return { meet: matches, armed: { lift, met } satisfies Armed }
}
