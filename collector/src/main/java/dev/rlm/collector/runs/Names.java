package dev.rlm.collector.runs;

/** Names of attributes that this product's own spans have, and that it needs to tell their runs. */
final class Names {
    static final String RUN_ID = "rlm.run_id";
    static final String ENVIRONMENT = "rlm.environment";
    static final String MODEL = "rlm.model";
    static final String STEP = "rlm.step";
    static final String LEFT_OUT = "rlm.left_out";
    static final String MARKER = "rlm.marker";
    static final String TASK = "rlm.task";
    static final String EXPECTED_ANSWER = "rlm.expected_answer";
    static final String MAX_STEPS = "rlm.max_steps";
    static final String SEED = "rlm.seed";
    static final String PASS_REWARD = "rlm.pass_reward";
    static final String TAG = "rlm.tag.";
    static final String METRIC = "rlm.metric.";
    static final String SOLVED = "rlm.solved";
    static final String OUTCOME = "rlm.outcome";
    static final String STATUS_CODE = "rlm.status_code";
    static final String TERMINATION_REASON = "rlm.termination_reason";
    static final String TRUNCATED = "rlm.truncated";
    static final String TOTAL_STEPS = "rlm.total_steps";
    static final String TOTAL_REWARD = "rlm.total_reward";
    static final String ABSENT_REWARDS = "rlm.absent_rewards";
    static final String STATE_INITIAL = "rlm.state.initial";
    static final String STATE_BEFORE = "rlm.state.before";
    static final String STATE_AFTER = "rlm.state.after";
    static final String PARENT_STEP = "rlm.parent_step";
    static final String ACTION_TYPE = "rlm.action_type";
    static final String SUCCESS = "rlm.success";
    static final String REWARD = "rlm.reward";
    static final String CUMULATIVE_REWARD = "rlm.cumulative_reward";
    static final String RETRIES = "rlm.retries";
    static final String COST_AMOUNT = "rlm.cost.amount";
    static final String COST_CURRENCY = "rlm.cost.currency";

    static final String ERROR_TYPE = "error.type";
    static final String OPERATION = "gen_ai.operation.name";
    static final String AGENT = "gen_ai.agent.name";
    static final String AGENT_VERSION = "gen_ai.agent.version";
    static final String EVALUATION_NAME = "gen_ai.evaluation.name";
    static final String EVALUATION_SCORE = "gen_ai.evaluation.score.value";

    /** Prefix of agent-lightning's rewards, each with a number, of which the first is the one that counts. */
    static final String LIGHTNING_REWARD = "agentlightning.reward.";

    private Names() {}
}
