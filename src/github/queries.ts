/** The GraphQL texts. No aliases, and only fields that issues and pull requests type alike, so that every answer validates against the schema. */

const author = 'author { __typename login }'
const commentFields = `fullDatabaseId url body createdAt lastEditedAt isMinimized ${author}`
const older = 'pageInfo { hasPreviousPage startCursor }'
const further = 'pageInfo { hasNextPage endCursor }'

const commentPage = `comments(last: 100, before: $before) {
        ${older}
        nodes { ${commentFields} }
      }`

const filePage = `files(first: 100, after: $after) {
        ${further}
        nodes { path changeType additions deletions }
      }`

const reviewPage = `reviews(last: 100, before: $before) {
        ${older}
        nodes { fullDatabaseId url body state submittedAt lastEditedAt isMinimized ${author} commit { oid } }
      }`

const remarkNodes = `${further}
            nodes { ${commentFields} diffHunk }`

/** GitHub reckons with 50 x 20 remarks whether they are there or not; longer threads are read on by their id. */
const threadPage = `reviewThreads(first: 50, after: $after) {
        ${further}
        nodes {
          id path line startLine diffSide isResolved isOutdated
          comments(first: 20) {
            ${remarkNodes}
          }
        }
      }`

const checks = `statusCheckRollup {
        contexts(first: 100) {
          nodes {
            __typename
            ... on CheckRun { name status conclusion detailsUrl title summary }
            ... on StatusContext { context state targetUrl description }
          }
        }
      }`

const closes = `closingIssuesReferences(first: 20) {
        nodes { number title body state ${author} repository { nameWithOwner } }
      }`

const subject = `number url title body createdAt closed locked
      ${author}
      labels(first: 50) { nodes { name } }`

/** Who we are and where work starts, for runs without an issue or PR. */
export const repositoryQuery = `query Repository($owner: String!, $repo: String!) {
  viewer { login databaseId }
  repository(owner: $owner, name: $repo) { defaultBranchRef { name } }
}`

/** One issue or PR with its newest comments; of a PR also the newest reviews, the first files and threads, what it closes and its checks. */
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
      baseRefName baseRefOid headRefName headRefOid isCrossRepository merged isDraft maintainerCanModify additions deletions changedFiles
      headRepository { nameWithOwner }
      commits { totalCount }
      ${filePage}
      ${reviewPage}
      ${threadPage}
      ${closes}
      ${checks}
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

const pullPage = (name: string, cursor: string, page: string) => `query ${name}($owner: String!, $repo: String!, $number: Int!, ${cursor}: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      ${page}
    }
  }
}`

/** A page of further changed files. */
export const filesQuery = pullPage('Files', '$after', filePage)

/** A page of older reviews. */
export const reviewsQuery = pullPage('Reviews', '$before', reviewPage)

/** A page of further review threads. */
export const threadsQuery = pullPage('Threads', '$after', threadPage)

/** A page of further remarks of one review thread. */
export const remarksQuery = `query Remarks($thread: ID!, $after: String) {
  node(id: $thread) {
    ... on PullRequestReviewThread {
          comments(first: 100, after: $after) {
            ${remarkNodes}
          }
    }
  }
}`

/** Marks a review thread as done. */
export const resolveMutation = `mutation Resolve($thread: ID!) {
  resolveReviewThread(input: { threadId: $thread }) {
    thread { id isResolved }
  }
}`
