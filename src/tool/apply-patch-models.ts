const patching = ['apply_patch']
const replacing = ['edit', 'write']

/**
 * Whether a model is offered a built-in tool. GPT models after GPT-4 are trained on patches and change files with `apply_patch`; all others with
 * `edit` and `write` (the engine's description 3.1).
 */
export function suitsModel(toolID: string, modelID: string): boolean {
  const id = modelID.toLowerCase()
  const patches = id.includes('gpt-') && !id.includes('oss') && !id.includes('gpt-4')
  return !(patches ? replacing : patching).includes(toolID)
}
