package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.event.TraceContext;
import io.opentelemetry.api.common.AttributeKey;
import java.util.List;

/**
 * The names of attributes, span events and log records that are this project's own, {@code rlm.*}, and those of OpenTelemetry's general
 * conventions, {@code error.*}, {@code exception.*} and {@code server.*}.
 *
 * @see GenAi
 */
public final class Names {
    /** The instrumentation scope, and the log. */
    public static final String SCOPE = "dev.rlm.sinks.otel";

    /** Part of the template of an address that stands for a trace's id. */
    public static final String TRACE_ID = "{traceId}";

    public static final String ROLLOUT_ID = TraceContext.ROLLOUT_ID;
    public static final AttributeKey<String> RUN_ID = AttributeKey.stringKey("rlm.run_id");
    public static final AttributeKey<String> ENVIRONMENT = AttributeKey.stringKey("rlm.environment");
    static final AttributeKey<String> MODEL = AttributeKey.stringKey("rlm.model");
    public static final AttributeKey<String> TASK = AttributeKey.stringKey("rlm.task");
    static final AttributeKey<String> EXPECTED_ANSWER = AttributeKey.stringKey("rlm.expected_answer");
    static final AttributeKey<Long> MAX_STEPS = AttributeKey.longKey("rlm.max_steps");
    static final AttributeKey<Long> SEED = AttributeKey.longKey("rlm.seed");
    static final AttributeKey<Double> PASS_REWARD = AttributeKey.doubleKey("rlm.pass_reward");
    static final AttributeKey<Boolean> COMPLETED = AttributeKey.booleanKey("rlm.completed");
    static final AttributeKey<Boolean> SOLVED = AttributeKey.booleanKey("rlm.solved");
    public static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("rlm.outcome");
    public static final AttributeKey<Long> STATUS_CODE = AttributeKey.longKey("rlm.status_code");
    static final AttributeKey<String> TERMINATION_REASON = AttributeKey.stringKey("rlm.termination_reason");
    static final AttributeKey<Boolean> TRUNCATED = AttributeKey.booleanKey("rlm.truncated");
    public static final AttributeKey<Long> TOTAL_STEPS = AttributeKey.longKey("rlm.total_steps");
    public static final AttributeKey<Double> TOTAL_REWARD = AttributeKey.doubleKey("rlm.total_reward");
    static final AttributeKey<Long> ABSENT_REWARDS = AttributeKey.longKey("rlm.absent_rewards");
    static final AttributeKey<String> RUN_PATH = AttributeKey.stringKey("rlm.run_path");
    public static final AttributeKey<String> DETAIL = AttributeKey.stringKey("rlm.detail");
    public static final AttributeKey<Double> RUN_DURATION = AttributeKey.doubleKey("rlm.run_duration");
    public static final AttributeKey<String> STATUS_MESSAGE = AttributeKey.stringKey("rlm.status_message");
    public static final String STATUS_DETAIL = "rlm.status_detail.";
    static final AttributeKey<Boolean> MARKER = AttributeKey.booleanKey("rlm.marker");
    static final AttributeKey<List<String>> LEFT_OUT = AttributeKey.stringArrayKey("rlm.left_out");
    static final AttributeKey<Long> REWARDS_LEFT_OUT = AttributeKey.longKey("rlm.reward_events_left_out");
    static final AttributeKey<Long> ARTIFACTS_LEFT_OUT = AttributeKey.longKey("rlm.artifact_events_left_out");
    static final AttributeKey<Long> RETRIES = AttributeKey.longKey("rlm.retries");
    static final AttributeKey<Double> COST_AMOUNT = AttributeKey.doubleKey("rlm.cost.amount");
    static final AttributeKey<String> COST_CURRENCY = AttributeKey.stringKey("rlm.cost.currency");
    static final String TAG = "rlm.tag.";
    static final String METRIC = "rlm.metric.";

    public static final AttributeKey<Long> STEP = AttributeKey.longKey("rlm.step");
    static final AttributeKey<Long> PARENT_STEP = AttributeKey.longKey("rlm.parent_step");
    static final AttributeKey<String> ACTION_TYPE = AttributeKey.stringKey("rlm.action_type");
    static final AttributeKey<Double> REWARD = AttributeKey.doubleKey("rlm.reward");
    static final AttributeKey<Double> CUMULATIVE_REWARD = AttributeKey.doubleKey("rlm.cumulative_reward");
    static final AttributeKey<Boolean> SUCCESS = AttributeKey.booleanKey("rlm.success");
    static final AttributeKey<String> STATE_INITIAL = AttributeKey.stringKey("rlm.state.initial");
    static final AttributeKey<String> STATE_BEFORE = AttributeKey.stringKey("rlm.state.before");
    static final AttributeKey<String> STATE_AFTER = AttributeKey.stringKey("rlm.state.after");
    public static final AttributeKey<String> REWARD_KIND = AttributeKey.stringKey("rlm.reward.kind");
    static final AttributeKey<Double> REWARD_MIN = AttributeKey.doubleKey("rlm.reward.min");
    static final AttributeKey<Double> REWARD_MAX = AttributeKey.doubleKey("rlm.reward.max");
    static final AttributeKey<Boolean> REWARD_OUT_OF_RANGE = AttributeKey.booleanKey("rlm.reward.out_of_range");
    static final String REWARD_COMPONENT = "rlm.reward.component.";
    static final String REWARD_WEIGHT = "rlm.reward.weight.";
    static final String REWARD_UNIT = "rlm.reward.unit.";

    /** Prefix of attributes that are named as in the journal, such as {@code sample_id}. */
    public static final String PREFIX = "rlm.";

    public static final String EVENT_CODE = "code_execution";
    public static final AttributeKey<String> CODE = AttributeKey.stringKey("code");
    public static final String EVENT_OUTPUT = "output";
    public static final AttributeKey<String> OUTPUT = AttributeKey.stringKey("output");
    public static final String EVENT_FINAL_ANSWER = "final_answer";
    static final String EVENT_RESULT = "result";
    static final AttributeKey<String> RESULT_OUTCOME = AttributeKey.stringKey("outcome");
    static final AttributeKey<Boolean> RESULT_SOLVED = AttributeKey.booleanKey("solved");
    static final AttributeKey<Double> RESULT_REWARD = AttributeKey.doubleKey("reward");
    public static final AttributeKey<String> ANSWER = AttributeKey.stringKey("answer");
    static final AttributeKey<String> RESULT_EXPECTED = AttributeKey.stringKey("expected_answer");

    static final String EVENT_ARTIFACT = "artifact";
    static final AttributeKey<String> ARTIFACT_NAME = AttributeKey.stringKey("rlm.artifact.name");
    static final AttributeKey<String> ARTIFACT_MEDIA_TYPE = AttributeKey.stringKey("rlm.artifact.media_type");
    static final AttributeKey<Long> ARTIFACT_SIZE = AttributeKey.longKey("rlm.artifact.size");
    static final AttributeKey<String> ARTIFACT_SHA256 = AttributeKey.stringKey("rlm.artifact.sha256");
    static final AttributeKey<String> ARTIFACT_ABSENCE = AttributeKey.stringKey("rlm.artifact.absence");

    public static final String EVENT_MESSAGE = "message";
    public static final String EVENT_REPLY = "reply";
    static final AttributeKey<String> ROLE = AttributeKey.stringKey("role");
    public static final AttributeKey<String> CONTENT = AttributeKey.stringKey("content");

    public static final String LOG_FINISHED = "rlm.run.finished";
    public static final String LOG_HEARTBEAT = "rlm.run.heartbeat";

    static final AttributeKey<String> SERVER_ADDRESS = AttributeKey.stringKey("server.address");
    static final AttributeKey<Long> SERVER_PORT = AttributeKey.longKey("server.port");
    public static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
    public static final String EVENT_EXCEPTION = "exception";
    public static final AttributeKey<String> EXCEPTION_TYPE = AttributeKey.stringKey("exception.type");
    static final AttributeKey<String> EXCEPTION_MESSAGE = AttributeKey.stringKey("exception.message");
    static final AttributeKey<String> EXCEPTION_STACKTRACE = AttributeKey.stringKey("exception.stacktrace");

    private Names() {}
}
