/** What this room uses of jsonc-parser. Imported only where there is a configuration to parse. */
export { findNodeAtLocation, getLocation, type Node, type ParseError, parseTree, printParseErrorCode, visit } from 'jsonc-parser'
