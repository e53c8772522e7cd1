/** Elements whose end tag is optional, or that have none: opening one nests nothing. A new `a` ends the one before. */
const unnested = new Set(
  'a area base br col embed hr img input link meta param source track wbr p li dt dd option optgroup tr td th thead tbody tfoot colgroup caption html head body'.split(
    ' ',
  ),
)
/** Elements that a parser opens anew in every block they were not closed in front of. */
const formatting = new Set('b big code em font i nobr s small strike strong tt u'.split(' '))
/** Elements whose content is no HTML. */
const raw = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes'])

/** How deep a page may be nested, and how many tags it may have: a second's work (the DOM is built while nothing else can run). */
const maxDepth = 150
const maxTags = 150_000

/**
 * As much of an HTML page as can be converted in about a second, whatever its author wrote; `cut` tells whether that is not all. Real pages are
 * some dozen levels deep and have some thousand elements.
 */
export function bounded(html: string): { readonly html: string; readonly cut: boolean } {
  const tag = /<(?:!--|(\/?)([a-z][^\s/>]*))/gi
  let depth = 0
  let open = 0
  let tags = 0
  for (let match = tag.exec(html); match; match = tag.exec(html)) {
    const [, slash, found] = match
    const name = found?.toLowerCase()
    if (name === undefined) {
      const end = html.indexOf('-->', match.index)
      if (end === -1) break
      tag.lastIndex = end
      continue
    }
    const step = unnested.has(name) ? 0 : slash ? -1 : 1
    depth = Math.max(0, depth + step)
    if (formatting.has(name)) open = Math.max(0, open + step)
    // A stray end tag can make an element too.
    tags += 1 + (slash || formatting.has(name) ? 0 : open)
    if (depth > maxDepth || tags > maxTags) return { html: html.slice(0, match.index), cut: true }
    if (!slash && raw.has(name)) {
      const end = endOf(html, name, tag.lastIndex)
      if (end === -1) break
      tag.lastIndex = end
    }
  }
  return { html, cut: false }
}

/** Where the end tag of an element without HTML in it is. */
function endOf(html: string, name: string, from: number): number {
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at
  }
  return -1
}
