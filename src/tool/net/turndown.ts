/** Turndown, which brings its own DOM; imported lazily, with the first HTML page that is fetched. */
export { default as TurndownService } from 'turndown'
