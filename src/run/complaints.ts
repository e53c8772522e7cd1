import type { Verb } from '../event/trigger.ts'
import { Failure } from '../failure.ts'
import type { MessageError } from '../session/message.ts'

/** What the model's own failures ask a person to do. */
const remedies: Record<MessageError['name'], string> = {
  MessageAbortedError: 'Comment again to have the work done; a longer `timeout-minutes` gives it more time.',
  ProviderAuthError: "Check the provider's key: the input `api-key`, or the secret behind the provider's key variable in the workflow.",
  ModelNotFoundError: 'Set the input `model` to one that the provider offers and your key may use, as `provider/model`.',
  APIError: "Check the provider's status and your account's limits, then comment again; the input `model` chooses another model.",
  ContextOverflowError:
    'The conversation is too long for this model. Choose a model with a larger context by the input `model`, or start afresh with `session: new`.',
  ContentFilterError: "The provider's content filter stopped the answer. Word the request differently, or choose another model.",
  OutputLengthError: 'The answer did not fit into the output limit of the model. Ask for less at once, or choose another model.',
  StructuredOutputError: 'Check the schema in `output-schema`, or choose a model that follows schemas.',
  EmptyAnswerError: 'The model answered with nothing, several times. Comment again, or choose another model by the input `model`.',
  UnknownError: 'Comment again; if it goes on, open an issue of opencode-action with the log of this run.',
}

/** The model could not do its part. */
export class ModelFailure extends Failure {
  override readonly name = 'ModelFailure'
  readonly aborted: boolean

  constructor(error: MessageError) {
    const what = error.name === 'MessageAbortedError' ? error.message : `The model did not finish: ${error.message}`
    super(what, remedies[error.name])
    this.aborted = error.name === 'MessageAbortedError'
  }
}

/** A verb of the contract whose work is not built yet. */
export function notAvailable(verb: Verb): Failure {
  const said = verb.type === 'command' ? `/${verb.name}` : verb.type === 'shell' ? '!' : verb.type
  return new Failure(
    `\`${said}\` after the trigger word is not available yet.`,
    'Say in words what should be done, for example `/opencode fix the date parsing`.',
  )
}

/** Work on somebody else's repository comes with a later issue. */
export function forkNotAvailable(): Failure {
  return new Failure('This pull request comes from a fork, and working on forks is not available yet.', 'Push the branch to this repository and comment there.')
}

/** `continue` needs something to go on with. */
export function nothingToContinue(): Failure {
  return new Failure('There is no session in this thread to continue.', 'Say what should be done, for example `/opencode fix the date parsing`.')
}
