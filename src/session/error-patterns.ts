/** How providers word what went wrong, as data. Matched against an error's message and body. */

/** The request does not fit the model's context window (C84). */
export const overflow: readonly RegExp[] = [
  /context_length_exceeded|model_context_window_exceeded|request_too_large/i,
  /prompt is too long|prompt too long/i,
  /input (is )?too long for (the )?requested model/i,
  /exceed(s|ed)? (the |this |model'?s? )*(maximum |max )?(allowed )?context (window|length|size|limit)/i,
  /exceed(s|ed)? (the |model )*(maximum |max )?(allowed )?(input|token) (length|limit)/i,
  /context (window|length) (exceed(s|ed)?|exceeds limit)/i,
  /(input|requested) token count (\([\d,]+\) )?exceeds/i,
  /tokens in (the )?request (is )?more than (the )?max/i,
  /maximum (prompt|context) length is (only )?\d+/i,
  /context length is only \d+/i,
  /reduce the length of the (messages|prompt|input)/i,
  /input \([\d,]+ tokens?\) is longer than the (model'?s )?context length/i,
  /exceeds the limit of \d+/i,
  /exceeds the available context size/i,
  /(greater|longer) than the (model'?s )?context length/i,
  /input length exceeds (the )?context length/i,
  /too large for model with \d+ maximum context length/i,
  /prompt has [\d,]+ tokens,? but (the )?configured context size is/i,
  /request entity too large/i,
  /too many (input )?tokens|token limit exceeded/i,
  /^4(00|13)\b.*\(no body\)/i,
]

/** Wordings of a rate limit, which sometimes read like an overflow ("too many tokens per minute"). */
export const rateLimit: readonly RegExp[] = [/rate.?limit|too[ _]many[ _]requests|per (minute|second|day)\b/i, /^(throttl|service unavailable)/i]

/** Waiting does not help: the account has used up what it may use (C57). */
export const quota: readonly RegExp[] = [
  /insufficient_quota|usage_not_included|billing_hard_limit|billing_not_active/i,
  /exceeded your (current|monthly) quota/i,
  /(weekly|monthly|daily|\d+.?hour) (usage )?limit/i,
  /usage limit (has been )?reached|out of credits|insufficient (credits?|balance|funds)|credit balance is too low/i,
]

/** The provider itself says that the limit passes within seconds, whatever else it says. */
export const passing: readonly RegExp[] = [/(re)?try (again |your request )?(in|after) \d+(\.\d+)? ?(ms|s|sec|seconds?)\b/i]

/** The provider has no such model, or not for us. */
export const missingModel: readonly RegExp[] = [
  /model_not_found|model_not_exist/i,
  /\bmodels?\b.{0,80}\b(does not exist|doesn'?t exist|not exist\b|(was |is |could )?not (be )?found|is not a valid model|not supported for this account)/is,
  /(no such|unknown|invalid) model\b|not a valid model( id)?\b/i,
  /not_found_error\b.*\bmodel:|\bmodel: \S+.*\bnot_found_error/is,
]

/** A fault of the request itself; the same request will fail again. */
export const permanent: readonly RegExp[] = [/invalid_prompt|invalid_request_error|model_not_found|does not exist/i]

/** Faults that pass (OpenCode's list). */
export const transient: readonly RegExp[] = [
  /\b(429|500|502|503|504|524|529)\b/,
  /rate.?limit|too[ _]many[ _]requests/i,
  /overload|service.?unavailable|internal.?(server)?.?error|server[ _]error|server_is_overloaded|provider returned error/i,
  /terminated|fetch failed|network|socket|connection|ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|other side closed/i,
  /time[d]?.?out/i,
  /(re)?try (again|your request)|resource.?exhausted|exhausted/i,
  /(currently|temporarily) (at capacity|unavailable)|\bunavailable\b/i,
]

/** Whether any of the patterns matches. */
export function matches(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text))
}
