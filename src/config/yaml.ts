/** What this room uses of yaml. Always imported lazily: loading it takes some fifteen milliseconds. */
export { parseDocument } from 'yaml'
