import { reviewSubset } from './schema-review.ts'

/**
 * The part of GitHub's GraphQL schema the emulator serves. Names, arguments, types and nullability are GitHub's;
 * a test holds every line against the full schema.
 */
export const subset = /* GraphQL */ `
  ${reviewSubset}

  scalar BigInt
  scalar DateTime
  scalar GitObjectID
  scalar URI

  type Query {
    viewer: User!
    repository(owner: String!, name: String!, followRenames: Boolean = true): Repository
    node(id: ID!): Node
  }

  interface Actor {
    login: String!
    url: URI!
  }

  interface Node {
    id: ID!
  }

  type User implements Actor & Node {
    id: ID!
    databaseId: Int
    login: String!
    url: URI!
  }

  type Bot implements Actor & Node {
    id: ID!
    databaseId: Int
    login: String!
    url: URI!
  }

  type Repository implements Node {
    id: ID!
    databaseId: Int
    name: String!
    nameWithOwner: String!
    isPrivate: Boolean!
    isFork: Boolean!
    url: URI!
    defaultBranchRef: Ref
    issue(number: Int!): Issue
    pullRequest(number: Int!): PullRequest
    issueOrPullRequest(number: Int!): IssueOrPullRequest
  }

  type Ref implements Node {
    id: ID!
    name: String!
  }

  union IssueOrPullRequest = Issue | PullRequest

  enum IssueState {
    CLOSED
    OPEN
  }

  enum IssueStateReason {
    COMPLETED
    DUPLICATE
    NOT_PLANNED
    REOPENED
  }

  enum PullRequestState {
    CLOSED
    MERGED
    OPEN
  }

  enum CommentAuthorAssociation {
    COLLABORATOR
    CONTRIBUTOR
    FIRST_TIMER
    FIRST_TIME_CONTRIBUTOR
    MANNEQUIN
    MEMBER
    NONE
    OWNER
  }

  enum PatchStatus {
    ADDED
    CHANGED
    COPIED
    DELETED
    MODIFIED
    RENAMED
  }

  type Issue implements Node {
    id: ID!
    databaseId: Int
    fullDatabaseId: BigInt
    number: Int!
    title: String!
    body: String!
    author: Actor
    authorAssociation: CommentAuthorAssociation!
    createdAt: DateTime!
    updatedAt: DateTime!
    lastEditedAt: DateTime
    state: IssueState!
    stateReason(enableDuplicate: Boolean = false): IssueStateReason
    repository: Repository!
    closed: Boolean!
    locked: Boolean!
    url: URI!
    labels(after: String, before: String, first: Int, last: Int): LabelConnection
    assignees(after: String, before: String, first: Int, last: Int): UserConnection!
    comments(after: String, before: String, first: Int, last: Int): IssueCommentConnection!
  }

  type PullRequest implements Node {
    id: ID!
    fullDatabaseId: BigInt
    number: Int!
    title: String!
    body: String!
    author: Actor
    authorAssociation: CommentAuthorAssociation!
    createdAt: DateTime!
    updatedAt: DateTime!
    lastEditedAt: DateTime
    state: PullRequestState!
    closed: Boolean!
    locked: Boolean!
    url: URI!
    labels(after: String, before: String, first: Int, last: Int): LabelConnection
    assignees(after: String, before: String, first: Int, last: Int): UserConnection!
    comments(after: String, before: String, first: Int, last: Int): IssueCommentConnection!
    baseRefName: String!
    baseRefOid: GitObjectID!
    headRefName: String!
    headRefOid: GitObjectID!
    headRepository: Repository
    isCrossRepository: Boolean!
    isDraft: Boolean!
    merged: Boolean!
    maintainerCanModify: Boolean!
    additions: Int!
    deletions: Int!
    changedFiles: Int!
    mergedAt: DateTime
    mergeCommit: Commit
    repository: Repository!
    commits(after: String, before: String, first: Int, last: Int): PullRequestCommitConnection!
    reviewThreads(after: String, before: String, first: Int, last: Int): PullRequestReviewThreadConnection!
    reviews(after: String, author: String, before: String, first: Int, last: Int, states: [PullRequestReviewState!]): PullRequestReviewConnection
    closingIssuesReferences(after: String, before: String, first: Int, last: Int, orderBy: IssueOrder, userLinkedOnly: Boolean = false): IssueConnection
    statusCheckRollup: StatusCheckRollup
    files(after: String, before: String, first: Int, last: Int): PullRequestChangedFileConnection
  }

  type IssueComment implements Node {
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
    url: URI!
  }

  type IssueCommentConnection {
    nodes: [IssueComment]
    pageInfo: PageInfo!
    totalCount: Int!
  }

  type IssueConnection {
    nodes: [Issue]
    pageInfo: PageInfo!
    totalCount: Int!
  }

  type UserConnection {
    nodes: [User]
    pageInfo: PageInfo!
    totalCount: Int!
  }

  type Label implements Node {
    id: ID!
    name: String!
  }

  type LabelConnection {
    nodes: [Label]
    pageInfo: PageInfo!
    totalCount: Int!
  }

  type PullRequestChangedFile {
    additions: Int!
    changeType: PatchStatus!
    deletions: Int!
    path: String!
  }

  type PullRequestChangedFileConnection {
    nodes: [PullRequestChangedFile]
    pageInfo: PageInfo!
    totalCount: Int!
  }

  type PullRequestCommit implements Node {
    id: ID!
    commit: Commit!
    url: URI!
  }

  type PullRequestCommitConnection {
    nodes: [PullRequestCommit]
    pageInfo: PageInfo!
    totalCount: Int!
  }

  type PageInfo {
    endCursor: String
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
  }
`
