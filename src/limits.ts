/** The numbers that bound a run, in one place. Each says where it comes from. */
export const limits = {
  /** Characters GitHub accepts in a comment or PR body (renovatebot/renovate#2032). */
  commentChars: 65_536,
  /** Characters GitHub accepts in a title. */
  titleChars: 256,
  /** Bytes of a step summary; GitHub drops the whole of it at 1 MiB (actions/dependency-review-action#867). */
  summaryBytes: 1_000_000,
  /** Lines and bytes of a tool's output that reach the model (OpenCode's truncation). */
  outputLines: 2_000,
  outputBytes: 51_200,
  /** Characters of one line in the output of a tool. */
  lineChars: 2_000,
  /** Results of one search (OpenCode's glob and grep). */
  searchResults: 100,
  /** Default and grace times of the shell tool, in ms. */
  shellTimeout: 120_000,
  shellKillAfter: 3_000,
  /** Time an MCP server has to connect, and for every question but the calls of its tools, in ms (OpenCode). */
  mcpTimeout: 30_000,
  /** Time the repository's plugins and custom tools have to load, and one hook to answer, in ms. */
  pluginTimeout: 30_000,
  /** Time one call of a tool of an MCP server or of the repository may take, in ms. */
  foreignCallTimeout: 600_000,
  /** Characters of what an MCP server says about itself that go into the system text. */
  instructionChars: 10_000,
  /** Time in which a run may show no sign of life before it has to sum up, in ms: longer than any wait of ours for a model. */
  idleTime: 900_000,
  /** Time a git command may take, in ms. */
  gitTimeout: 300_000,
  /** Characters of the thread that are put in front of the model in one turn. */
  contextChars: 60_000,
  /** Characters of what a `repository_dispatch` brings along that the model is told. */
  dispatchChars: 10_000,
  /** Requests of one person, and in one thread, that are served within an hour. */
  actorRequestsPerHour: 20,
  threadRequestsPerHour: 30,
  /** Bytes of a file that GitHub takes in a push. */
  blobBytes: 100 * 1024 * 1024,
  /** Times our commits are made anew on a branch that others push to meanwhile. */
  replays: 3,
  /** Objects that are sent to the Git data API at the same time. */
  uploads: 5,
  /** Characters of an inline patch in a comment. */
  inlinePatchChars: 20_000,
  /** Tokens asked for in one answer at the most (OpenCode). */
  outputTokens: 32_000,
  /** Tokens assumed of a model nobody has described; small enough for a self-hosted one. */
  unknownModelContext: 128_000,
  unknownModelOutput: 16_384,
  /** Time until a model's server answers, and between two events of its answer, in ms (OpenCode). */
  modelHeadersTimeout: 300_000,
  modelIdleTimeout: 300_000,
  /** Bytes of one turn's JSON in the hidden thread; more is not unpacked (a small comment can unpack to gigabytes). */
  turnBytes: 8 * 1024 * 1024,
  /** Comments that one turn's memory may be spread over. */
  threadParts: 10,
  /** Requests of a thread that one run answers. */
  requestsPerRun: 10,
  /** Characters of the patch that a checkpoint carries; they shrink to about a fifth. */
  checkpointPatchChars: 150_000,
  /** Time after which a run that shows no sign of life in its comment counts as dead, in ms; a live one edits it every minute. */
  claimSilence: 180_000,
  /** Time between two looks at a thread while working or waiting, and the least between two at all, in ms; an unchanged thread costs nothing. */
  watchEvery: 5_000,
  watchPause: 2_000,
  /** Time between two questions whether a workflow run has ended, in ms. */
  runStateEvery: 30_000,
  /** Bytes of one file of the trusted commit that is read as configuration, instruction or code. */
  treeFileBytes: 4 * 1024 * 1024,
  /** Characters of all instruction files of a repository together; what is more is cut, with a note. */
  instructionFileChars: 100_000,
  /** Time an address among the instructions has to answer, in ms (OpenCode). */
  instructionTimeout: 5_000,
} as const
