import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { ConfigForm } from '../src/config/schema.ts'

/**
 * Writes `docs/config.schema.json`, the JSON schema of the configuration, from the schema the code checks by:
 *
 *     node scripts/config-schema.ts && npx biome format --write docs/config.schema.json
 */
const target = new URL('../docs/config.schema.json', import.meta.url)

/** The JSON schema, in draft 2020-12. */
export function configSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(ConfigForm, { io: 'input' })
  return {
    $schema,
    title: 'opencode-action configuration',
    description: 'opencode.json as opencode-action reads it from the trusted commit.',
    ...schema,
    // The code warns of an unknown key; an editor may as well underline it.
    additionalProperties: false,
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, `${JSON.stringify(configSchema(), undefined, 2)}\n`)
