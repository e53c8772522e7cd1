/** What this room uses of the AI SDK, named so that the bundle leaves the rest out. */
export { wrapLanguageModel } from 'ai'
