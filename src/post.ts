import { adviceOf } from './failure.ts'
import { connect } from './github/client.ts'
import { desk } from './publish/desk.ts'
import type { Log } from './report/log.ts'
import type { Redactor } from './report/redact.ts'
import { failureBody } from './report/reply.ts'
import { readSettings } from './settings/read.ts'
import { readRunner } from './settings/runner.ts'

interface CleanUp {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
  readonly redactor: Redactor
}

/**
 * The step after the job: when the run was killed before it could say so, takes its reaction away and turns its working comment into
 * a word about what happened. Never fails the job.
 */
export async function cleanUp({ env, log, redactor }: CleanUp): Promise<void> {
  const state = (name: string) => {
    const value = Number(env[`STATE_${name}`])
    return Number.isInteger(value) && value > 0 ? value : undefined
  }
  const number = state('number')
  if (env.STATE_finished || number === undefined) return
  try {
    const settings = readSettings(env)
    redactor.add(settings.githubToken)
    const runner = readRunner(env)
    const github = connect({ token: settings.githubToken, apiUrl: runner.apiUrl, graphqlUrl: runner.graphqlUrl, owner: runner.owner, repo: runner.repo })
    const comment = state('comment')
    const left = desk(github, { number, request: state('request') }, comment === undefined ? undefined : { id: comment, url: '' }, state('reaction'))
    await left.say(
      failureBody({
        ...lastWords(env.STATE_branch),
        runUrl: runner.runUrl,
        cancelled: true,
      }),
    )
    await left.leave()
    log.info('Took back the reaction of a run that was killed, and said so in the thread.')
  } catch (error) {
    log.warning(`The clean-up failed: ${adviceOf(error)}`)
  }
}

/** What the thread is told: a push may have arrived although nobody lived to say so. */
function lastWords(branch: string | undefined): { message: string; hint: string } {
  if (!branch) return { message: 'The job ended while the agent was working; nothing of this run was pushed.', hint: 'Comment again to have the work done.' }
  return {
    message: `The job ended while the work was being pushed to the branch \`${branch}\`; it may have arrived there.`,
    hint: 'Look for the branch and its pull request before you comment again.',
  }
}
