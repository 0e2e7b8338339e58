package dev.rlm.episodes;

/** Part of a run that a {@link RewardFunction} looks at. A recorded run has some of them, and may lack others. */
public enum RewardNeed {
    /** The final answer, or that there is none. */
    ANSWER,
    /** The sample's true answer. */
    TRUTH,
    /** The steps, with their actions and what came of them. */
    STEPS,
    /** The tokens of the model's replies. Recorded runs alone have them, where the model's server told their ids. */
    TOKENS,
    /**
     * More than records tell: the environment itself, a sample of its own kind, or what it gave for actions. Only a run that goes on
     * has it.
     */
    ENVIRONMENT
}
