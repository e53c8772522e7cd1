import { Failure } from '../failure.ts'

/** What went wrong with an MCP server, its tools or its resources. */
export class McpError extends Failure {
  override readonly name = 'McpError'
}
