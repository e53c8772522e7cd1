import { Failure } from '../failure.ts'
import type { MessageError } from '../session/message.ts'

/** What the model's own failures ask a person to do. */
const remedies: Record<MessageError['name'], string> = {
  MessageAbortedError: 'The next request here, such as `/opencode continue`, goes on with it. If time ran out, `timeout-minutes` gives more.',
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

/** `continue` needs something to go on with. */
export function nothingToContinue(): Failure {
  return new Failure('There is no session in this thread to continue.', 'Say what should be done, for example `/opencode fix the date parsing`.')
}

/** Nor is there anything to take back before the first turn. */
export function nothingToUndo(): Failure {
  return new Failure('There is no earlier turn in this thread to take back.', 'Only what a run of this thread has done can be undone, the newest first.')
}
