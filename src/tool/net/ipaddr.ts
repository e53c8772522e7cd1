import ipaddr from 'ipaddr.js'

/** What we use of ipaddr.js; imported lazily, with the first page that is fetched. */
export const { parse, isValid } = ipaddr
