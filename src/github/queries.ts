/** The GraphQL texts. No aliases, and only fields that issues and pull requests type alike, so that every answer validates against the schema. */

const commentPage = `comments(last: 100, before: $before) {
        pageInfo { hasPreviousPage startCursor }
        nodes { fullDatabaseId url body createdAt lastEditedAt isMinimized author { __typename login } }
      }`

const filePage = `files(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { path changeType additions deletions }
      }`

const subject = `number url title body createdAt closed locked
      author { __typename login }
      labels(first: 50) { nodes { name } }`

/** Who we are and where work starts, for runs without an issue or PR. */
export const repositoryQuery = `query Repository($owner: String!, $repo: String!) {
  viewer { login databaseId }
  repository(owner: $owner, name: $repo) { defaultBranchRef { name } }
}`

/** One issue or PR with its newest comments and first files. */
export const discussionQuery = `query Discussion($owner: String!, $repo: String!, $number: Int!, $before: String, $after: String) {
  viewer { login databaseId }
  repository(owner: $owner, name: $repo) {
    defaultBranchRef { name }
    issueOrPullRequest(number: $number) {
      __typename
      ... on Issue {
      ${subject}
      ${commentPage}
      }
      ... on PullRequest {
      ${subject}
      ${commentPage}
      baseRefName headRefName headRefOid isCrossRepository merged isDraft maintainerCanModify additions deletions changedFiles
      headRepository { nameWithOwner }
      commits { totalCount }
      ${filePage}
      }
    }
  }
}`

/** A page of older comments. */
export const commentsQuery = `query Comments($owner: String!, $repo: String!, $number: Int!, $before: String) {
  viewer { login databaseId }
  repository(owner: $owner, name: $repo) {
    issueOrPullRequest(number: $number) {
      ... on Issue {
      ${commentPage}
      }
      ... on PullRequest {
      ${commentPage}
      }
    }
  }
}`

/** A page of further changed files. */
export const filesQuery = `query Files($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      ${filePage}
    }
  }
}`
