package dev.rlm.runs.report.tokens;

/** A rule of the token audit. */
enum TokenRule {
    /** A call's prompt continues the prompt and response of an earlier one. */
    BROKEN_PREFIX,
    /** A call has ids of its prompt and of its response. */
    MISSING_IDS,
    /** A response with ids has log probabilities. */
    MISSING_LOGPROBS,
    /** There are as many log probabilities as ids. */
    LOGPROB_LENGTHS,
    /** Log probabilities are finite, and none is above 0. */
    IMPOSSIBLE_LOGPROBS,
    /** All calls of a run are answered by the same weights. */
    WEIGHTS_CHANGED,
    /** A reply ends before the limit of its length. */
    TRUNCATED_REPLY,
    /** There are as many texts of tokens as ids. */
    TEXT_LENGTHS,
    /** The texts of the tokens, joined, hold the reply's. */
    TEXT_MISMATCH,
    /** Texts of calls with ids are neither redacted nor cut. */
    ALTERED_TEXT
}
