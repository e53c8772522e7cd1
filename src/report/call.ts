import type { ToolPart } from '../session/message.ts'

/** Inputs that say best what a call is about, in this order. */
const telling = ['filePath', 'path', 'pattern', 'command', 'url', 'query', 'description', 'name', 'title']

/** What a tool call is about, in the tool's own words or by its most telling input; empty when nothing says so. The text may be anybody's. */
export function aboutCall({ state }: Pick<ToolPart, 'state'>): string {
  if ('title' in state && state.title) return state.title
  for (const name of telling) {
    const value = Object.hasOwn(state.input, name) ? state.input[name] : undefined
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return ''
}

/** How long a call took, in ms; undefined while it runs. */
export function tookCall({ state }: Pick<ToolPart, 'state'>): number | undefined {
  return state.status === 'completed' || state.status === 'error' ? state.time.end - state.time.start : undefined
}
