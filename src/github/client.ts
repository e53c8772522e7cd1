import { z } from 'zod'
import { branches } from './branches.ts'
import { comments } from './comments.ts'
import { readDiscussion, readRepository } from './discussion.ts'
import { type Gateway, type GatewayOptions, openGateway } from './gateway.ts'
import { unless } from './persist.ts'
import { pulls } from './pulls.ts'
import { reviews } from './reviews.ts'
import { runs } from './runs.ts'
import { triage } from './triage.ts'
import type { Connection, GitHub, Permission } from './types.ts'
import { watch } from './watch.ts'

/** The gateway to one repository. Nothing is sent or loaded before the first call. */
export function connect(connection: Connection, options: GatewayOptions = {}): GitHub {
  const gateway = openGateway(connection, options)
  return {
    permission: askedOnce((login) => permissionOf(gateway, connection, login)),
    repository: () => readRepository(gateway, connection),
    discussion: (number) => readDiscussion(gateway, connection, number),
    watch: (number, isPull) => watch(gateway, connection, number, isPull),
    ...comments(gateway, connection),
    ...reviews(gateway, connection),
    ...pulls(gateway, connection),
    ...triage(gateway, connection),
    ...runs(gateway, connection),
    ...branches(gateway, connection),
    get requests() {
      return gateway.requests
    },
  }
}

/** Keeps answers about people for the whole run; a question that failed is asked again. */
function askedOnce(ask: GitHub['permission']): GitHub['permission'] {
  const answers = new Map<string, Promise<Permission>>()
  return (login) => {
    const name = login.toLowerCase()
    const known = answers.get(name)
    if (known) return known
    const answer = ask(login)
    answers.set(name, answer)
    answer.catch(() => answers.delete(name))
    return answer
  }
}

const Level = z.object({ permission: z.string(), role_name: z.string().optional() })

async function permissionOf(gateway: Gateway, { owner, repo }: Connection, login: string): Promise<Permission> {
  const call = { action: `read the permission of ${login}`, permission: 'metadata: read', shape: Level }
  // Everything else is no word about the person: a token that is wrong or may not ask must not pass for "nothing to do".
  const level = await unless(
    ['missing'],
    gateway.rest(call, ({ rest }) => rest.repos.getCollaboratorPermissionLevel({ owner, repo, username: login })),
  )
  if (!level) return { kind: 'unknown', reason: `${login} is no collaborator of ${owner}/${repo}` }
  return { kind: 'known', permission: level.permission, role: level.role_name ?? level.permission }
}
