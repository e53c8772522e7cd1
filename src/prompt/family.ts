/** The families of models that get words of their own after the base prompt. */
export type Family = 'claude' | 'gemini' | 'codex' | 'gpt' | 'reasoning' | 'default'

/**
 * Tells a model's family by its id, whoever serves it: Claude directly, on Bedrock and on Vertex alike (the seeds, "Base system prompt").
 * o1, o3, o4 and DeepSeek's reasoning models share one; what is not known gets `default`.
 */
export function familyOf(modelID: string): Family {
  const id = modelID.toLowerCase()
  if (id.includes('claude')) return 'claude'
  if (id.includes('gemini')) return 'gemini'
  if (/(^|[/.:-])o[134](-|$)/.test(id) || /deepseek.*(reason|think|-r\d)/.test(id)) return 'reasoning'
  if (id.includes('gpt-') && !id.includes('oss')) return id.includes('codex') ? 'codex' : 'gpt'
  return 'default'
}
