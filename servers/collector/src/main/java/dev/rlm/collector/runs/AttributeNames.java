package dev.rlm.collector.runs;

/** Names of attributes that more than one reader of spans needs. */
final class AttributeNames {
    /** Attributes that every span of this product's own runs has. */
    static final String RUN_ID = "rlm.run_id";

    static final String ENVIRONMENT = "rlm.environment";

    static final String ERROR_TYPE = "error.type";
    static final String OPERATION = "gen_ai.operation.name";
    static final String AGENT = "gen_ai.agent.name";
    static final String AGENT_VERSION = "gen_ai.agent.version";
    static final String EVALUATION_NAME = "gen_ai.evaluation.name";
    static final String EVALUATION_SCORE = "gen_ai.evaluation.score.value";

    /** Prefix of agent-lightning's rewards, each with a number, of which the first is the one that counts. */
    static final String LIGHTNING_REWARD = "agentlightning.reward.";

    private AttributeNames() {}
}
