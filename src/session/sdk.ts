/** What we use of the AI SDK, named so that the bundle leaves the rest out. Always imported lazily: loading it takes tens of milliseconds. */
export { isStepCount, jsonSchema, streamText, tool, wrapLanguageModel, zodSchema } from 'ai'
