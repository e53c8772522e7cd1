import { Failure, messageOf } from '../failure.ts'

/** A JSON schema for the answer that can't be used. */
export class FormatError extends Failure {
  override readonly name = 'FormatError'
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** Says what a value gets wrong, one fault a line; undefined when it fits. */
export type Check = (value: unknown) => string | undefined

/**
 * Compiles a JSON schema (draft 7, or 2020-12 where `$schema` says so; formats are checked, unknown keywords ignored).
 * Throws `FormatError` when it is none. The validator is loaded when it is first needed.
 */
export async function compileSchema(schema: JsonSchema): Promise<Check> {
  const newer = String(schema.$schema ?? '').includes('2020-12')
  // By their defaults: only these are there both for Node and in the bundle.
  const [draft7, draft2020, formats] = await Promise.all([import('ajv'), import('ajv/dist/2020.js'), import('ajv-formats')])
  const { Ajv } = draft7.default
  const { Ajv2020 } = draft2020.default
  const options = { strict: false, allErrors: true, logger: false } as const
  const ajv = newer ? new Ajv2020(options) : new Ajv(options)
  formats.default.default(ajv)
  try {
    const { $schema: _, ...rest } = schema
    const validate = ajv.compile(rest)
    return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors, { separator: '\n', dataVar: 'answer' }))
  } catch (error) {
    throw new FormatError(
      `The schema for the answer is no valid JSON schema: ${messageOf(error)}`,
      'Correct it (`output-schema` in the workflow); remote references are not followed.',
    )
  }
}
