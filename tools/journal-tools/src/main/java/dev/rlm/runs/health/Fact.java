package dev.rlm.runs.health;

/** A fact of runs that is averaged over those of a step of training. Shares are of runs, unless it is said otherwise. */
public enum Fact {
    /** The total reward of a run in training that has a usable one. */
    REWARD,
    /** The total reward of a run in validation that has a usable one. */
    VALIDATION_REWARD,
    /** The tokens of a run's replies. */
    RESPONSE_TOKENS,
    /** The share of runs with a reply that reached its limit. */
    CUT,
    /** The share of runs with a reply that is no language. */
    GARBLED,
    /** The share of replies that another run of the same group gave as well. */
    ALIKE,
    /** The share of groups whose rewards are all the same. */
    FLAT,
    /** By its name: what a part adds to the reward. */
    PART,
    /** The share of runs with a reward that could not be computed. */
    ABSENT,
    /** By its name: the reward that a judge gives runs whose other rewards are nearer to the best than to the worst. */
    JUDGE_OF_GOOD,
    /** By its name: the reward that a judge gives runs whose other rewards are nearer to the worst than to the best. */
    JUDGE_OF_BAD,
    /** By its name: the share of a tool's calls that failed. */
    TOOL_FAILED,
    /** The share of runs in which a call was repeated, or that repeat a run. */
    RETRIED,
    /** Time that a run took, in seconds. */
    SECONDS,
    /** By its kind: how long the calls in a run took, in seconds. */
    CALL_SECONDS,
    /** The share of runs of which the journal lacks events. */
    INCOMPLETE
}
