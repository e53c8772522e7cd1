/** GitHub's GraphQL types of reviews, remarks on the diff and checks. */
export const reviewSubset = /* GraphQL */ `
  type Mutation {
    resolveReviewThread(input: ResolveReviewThreadInput!): ResolveReviewThreadPayload
    unresolveReviewThread(input: UnresolveReviewThreadInput!): UnresolveReviewThreadPayload
  }

  input ResolveReviewThreadInput {
    clientMutationId: String
    threadId: ID!
  }

  type ResolveReviewThreadPayload {
    clientMutationId: String
    thread: PullRequestReviewThread
  }

  input UnresolveReviewThreadInput {
    clientMutationId: String
    threadId: ID!
  }

  type UnresolveReviewThreadPayload {
    clientMutationId: String
    thread: PullRequestReviewThread
  }

  input IssueOrder {
    direction: OrderDirection!
    field: IssueOrderField!
  }

  enum OrderDirection {
    ASC
    DESC
  }

  enum IssueOrderField {
    COMMENTS
    CREATED_AT
    UPDATED_AT
  }

  enum DiffSide {
    LEFT
    RIGHT
  }

  enum PullRequestReviewState {
    APPROVED
    CHANGES_REQUESTED
    COMMENTED
    DISMISSED
    PENDING
  }

  enum PullRequestReviewCommentState {
    PENDING
    SUBMITTED
  }

  enum PullRequestReviewThreadSubjectType {
    FILE
    LINE
  }

  enum CheckConclusionState {
    ACTION_REQUIRED
    CANCELLED
    FAILURE
    NEUTRAL
    SKIPPED
    STALE
    STARTUP_FAILURE
    SUCCESS
    TIMED_OUT
  }

  enum CheckStatusState {
    COMPLETED
    IN_PROGRESS
    PENDING
    QUEUED
    REQUESTED
    WAITING
  }

  enum StatusState {
    ERROR
    EXPECTED
    FAILURE
    PENDING
    SUCCESS
  }

  type Commit implements Node {
    id: ID!
    oid: GitObjectID!
    url: URI!
    statusCheckRollup: StatusCheckRollup
  }

  type StatusCheckRollup implements Node {
    id: ID!
    state: StatusState!
    contexts(after: String, before: String, first: Int, last: Int): StatusCheckRollupContextConnection!
  }

  type StatusCheckRollupContextConnection {
    nodes: [StatusCheckRollupContext]
    pageInfo: PageInfo!
    totalCount: Int!
  }

  union StatusCheckRollupContext = CheckRun | StatusContext

  type CheckRun implements Node {
    id: ID!
    databaseId: Int
    name: String!
    conclusion: CheckConclusionState
    status: CheckStatusState!
    detailsUrl: URI
    url: URI!
    title: String
    summary: String
    text: String
  }

  type StatusContext implements Node {
    id: ID!
    context: String!
    state: StatusState!
    targetUrl: URI
    description: String
  }

  type PullRequestReview implements Node {
    id: ID!
    databaseId: Int
    fullDatabaseId: BigInt
    author: Actor
    authorAssociation: CommentAuthorAssociation!
    body: String!
    state: PullRequestReviewState!
    submittedAt: DateTime
    createdAt: DateTime!
    updatedAt: DateTime!
    lastEditedAt: DateTime
    isMinimized: Boolean!
    minimizedReason: String
    viewerDidAuthor: Boolean!
    commit: Commit
    url: URI!
    comments(after: String, before: String, first: Int, last: Int): PullRequestReviewCommentConnection!
  }

  type PullRequestReviewConnection {
    nodes: [PullRequestReview]
    pageInfo: PageInfo!
    totalCount: Int!
  }

  type PullRequestReviewThread implements Node {
    id: ID!
    path: String!
    line: Int
    startLine: Int
    originalLine: Int
    originalStartLine: Int
    diffSide: DiffSide!
    startDiffSide: DiffSide
    subjectType: PullRequestReviewThreadSubjectType!
    isCollapsed: Boolean!
    isOutdated: Boolean!
    isResolved: Boolean!
    resolvedBy: User
    comments(after: String, before: String, first: Int, last: Int, skip: Int): PullRequestReviewCommentConnection!
  }

  type PullRequestReviewThreadConnection {
    nodes: [PullRequestReviewThread]
    pageInfo: PageInfo!
    totalCount: Int!
  }

  type PullRequestReviewComment implements Node {
    id: ID!
    databaseId: Int
    fullDatabaseId: BigInt
    author: Actor
    authorAssociation: CommentAuthorAssociation!
    body: String!
    createdAt: DateTime!
    updatedAt: DateTime!
    lastEditedAt: DateTime
    isMinimized: Boolean!
    minimizedReason: String
    viewerDidAuthor: Boolean!
    diffHunk: String!
    path: String!
    line: Int
    startLine: Int
    originalLine: Int
    originalStartLine: Int
    outdated: Boolean!
    state: PullRequestReviewCommentState!
    subjectType: PullRequestReviewThreadSubjectType!
    commit: Commit
    originalCommit: Commit
    replyTo: PullRequestReviewComment
    pullRequestReview: PullRequestReview
    url: URI!
  }

  type PullRequestReviewCommentConnection {
    nodes: [PullRequestReviewComment]
    pageInfo: PageInfo!
    totalCount: Int!
  }
`
