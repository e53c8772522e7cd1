import type { ChatCompletionRequest, FixtureResponse } from '@copilotkit/aimock'

/** A model that follows a script, behind the OpenAI protocol on loopback. */

export interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface Answer {
  readonly text?: string
  readonly calls?: readonly Call[]
}

/** One request as the script sees it. */
export interface Conversation {
  /** Texts in order; a message of several parts is one text. */
  readonly messages: readonly { readonly role: string; readonly text: string; readonly toolCallId?: string }[]
  /** False where the harness asks for an answer in words: no tools offered, or tool choice `none`. */
  readonly mayCall: boolean
  /** Result of the tool call with this id, if it is in the conversation. */
  result(id: string): string | undefined
}

/** Decides from the conversation alone, so that a repeated or resumed request gets the same answer. A promise holds the answer back. */
export type Script = (conversation: Conversation) => Answer | Promise<Answer>

export interface ScriptedModel {
  /** For the input `base-url`. */
  readonly baseUrl: string
  /** Bodies of the requests so far, oldest first. */
  requests(): readonly ChatCompletionRequest[]
  /** Calls `act` with every request before it is answered, until what is returned is called. */
  watch(act: () => void | Promise<void>): () => void
  close(): Promise<void>
}

/** Starts the server. aimock is loaded here only, so that the action itself never pays for it. */
export async function startModel(script: Script): Promise<ScriptedModel> {
  const { LLMock } = await import('@copilotkit/aimock')
  const server = new LLMock({ port: 0, host: '127.0.0.1', journalMaxEntries: 0 })
  const seen: ChatCompletionRequest[] = []
  const watchers = new Set<() => void | Promise<void>>()
  server.addFixture({
    match: { predicate: () => true },
    response: async (request) => {
      seen.push(request)
      for (const act of watchers) await act()
      return reply(request, await script(conversationOf(request)))
    },
  })
  const url = await server.start()
  return {
    baseUrl: `${url}/v1`,
    requests: () => seen,
    watch(act) {
      watchers.add(act)
      return () => void watchers.delete(act)
    },
    close: () => server.stop(),
  }
}

function conversationOf(request: ChatCompletionRequest): Conversation {
  const messages = request.messages.map((message) => {
    const { content, tool_call_id: toolCallId } = message
    const text = typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n')
    return { role: message.role, text, ...(toolCallId === undefined ? {} : { toolCallId }) }
  })
  return {
    messages,
    mayCall: (request.tools ?? []).length > 0 && request.tool_choice !== 'none',
    result: (id) => messages.find((message) => message.toolCallId === id)?.text,
  }
}

function reply(request: ChatCompletionRequest, { text, calls = [] }: Answer): FixtureResponse {
  const toolCalls = calls.map((call) => ({ id: call.id, name: call.name, arguments: JSON.stringify(call.arguments) }))
  // About four characters a token, which is close enough to show how a conversation grows.
  const usage = {
    prompt_tokens: Math.ceil(JSON.stringify([request.messages, request.tools]).length / 4),
    completion_tokens: Math.ceil((text ?? '').length / 4 + JSON.stringify(toolCalls).length / 4),
  }
  if (toolCalls.length === 0) return { content: text ?? '', usage }
  return text === undefined ? { toolCalls, usage } : { content: text, toolCalls, usage }
}
