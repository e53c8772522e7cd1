/** What we use of the MCP client, named so that the bundle leaves the rest out. Always imported lazily: few repositories have servers. */
export { createMCPClient, validateJSONRPCMessage } from '@ai-sdk/mcp'
