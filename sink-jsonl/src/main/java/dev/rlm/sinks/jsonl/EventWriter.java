package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.event.Usage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The names and order of every event's fields, from event to line. {@link EventReader} is its inverse. */
final class EventWriter {
    static final String RUN_STARTED = "run_started";
    static final String STEP_STARTED = "step_started";
    static final String MODEL_CALLED = "model_called";
    static final String TOOL_CALLED = "tool_called";
    static final String REWARD_GIVEN = "reward_given";
    static final String STEP_ENDED = "step_ended";
    static final String SPAN_RECORDED = "span_recorded";
    static final String ARTIFACT_SAVED = "artifact_saved";
    static final String HEARTBEAT = "heartbeat";
    static final String METRICS_REPORTED = "metrics_reported";
    static final String LEDGER_REPORTED = "ledger_reported";
    static final String RUN_ENDED = "run_ended";

    private static final Map<Class<? extends RunEvent>, String> TYPES = Map.of(
            RunStarted.class, RUN_STARTED,
            StepStarted.class, STEP_STARTED,
            ModelCalled.class, MODEL_CALLED,
            ToolCalled.class, TOOL_CALLED,
            RewardGiven.class, REWARD_GIVEN,
            StepEnded.class, STEP_ENDED,
            SpanRecorded.class, SPAN_RECORDED,
            ArtifactSaved.class, ARTIFACT_SAVED,
            Heartbeat.class, HEARTBEAT,
            RunEnded.class, RUN_ENDED);
    private static final Set<String> OF_RUNS = Set.copyOf(TYPES.values());

    private final JsonLine line;

    private EventWriter(JsonLine line) {
        this.line = line;
    }

    /** The types of lines that are a run's events, as far as is known here. */
    static Set<String> typesOfRuns() {
        return OF_RUNS;
    }

    /** The types of the lines that such events are on. */
    static Set<String> types(Set<Class<? extends RunEvent>> kinds) {
        return kinds.stream().map(TYPES::get).collect(Collectors.toUnmodifiableSet());
    }

    /** Whether lines of that type are a run's events, as far as is known here. */
    static boolean isOfRun(String type) {
        return OF_RUNS.contains(type);
    }

    static void write(Event event, JsonLine line) {
        new EventWriter(line).write(event);
    }

    private void write(Event event) {
        if (event instanceof RewardGiven e) {
            rewardGiven(e);
        } else if (event instanceof StepStarted e) {
            stepStarted(e);
        } else if (event instanceof StepEnded e) {
            stepEnded(e);
        } else if (event instanceof ModelCalled e) {
            modelCalled(e);
        } else if (event instanceof ToolCalled e) {
            toolCalled(e);
        } else if (event instanceof RunStarted e) {
            runStarted(e);
        } else if (event instanceof RunEnded e) {
            runEnded(e);
        } else if (event instanceof SpanRecorded e) {
            spanRecorded(e);
        } else if (event instanceof ArtifactSaved e) {
            artifactSaved(e);
        } else if (event instanceof Heartbeat e) {
            heartbeat(e);
        } else if (event instanceof MetricsReported e) {
            metricsReported(e);
        } else if (event instanceof LedgerReported e) {
            ledgerReported(e);
        }
    }

    /** What begins every event's line; {@link LineHead} relies on the order. */
    private JsonLine head(String type, RunEvent event) {
        RunInfo run = event.run();
        return line.put("type", type)
                .put("run_id", run.runId())
                .put("seq", event.seq())
                .put("time", event.time())
                .put("nanos", event.nanos())
                .put("environment", run.environment())
                .put("model", run.model())
                .putUnless(RunEvent.NO_STEP, "step", event.step());
    }

    private void runStarted(RunStarted event) {
        RunInfo run = event.run();
        head(RUN_STARTED, event)
                .put("task", run.task())
                .put("max_steps", run.maxSteps())
                .put("seed", run.seed())
                .put("params", run.params())
                .put("tags", run.tags());
        correlation(run.correlation(), line);
        TraceContext parent = run.parent() == null ? TraceContext.NONE : run.parent();
        line.put("traceparent", parent.traceparent())
                .put("tracestate", parent.tracestate())
                .put("baggage", parent.baggage());
    }

    static void correlation(Correlation ids, JsonLine line) {
        line.put("experiment_id", ids.experiment())
                .put("invocation_id", ids.invocation())
                .put("rollout_id", ids.rollout())
                .put("trainer_run_id", ids.trainerRun())
                .put("sample_id", ids.sample())
                .put("row_id", ids.row())
                .put("trajectory_index", ids.trajectoryIndex())
                .put("attempt", ids.attempt())
                .put("epoch", ids.epoch())
                .put("train_step", ids.trainStep())
                .put("split", ids.split())
                .put("policy_version", ids.policyVersion())
                .put("code_version", ids.codeVersion())
                .put("dataset_version", ids.datasetVersion())
                .put("parent_run_id", ids.parentRun());
    }

    private void stepStarted(StepStarted event) {
        head(STEP_STARTED, event)
                .putUnless(RunEvent.NO_STEP, "parent_step", event.parentStep())
                .put("observation", event.observation());
    }

    private void modelCalled(ModelCalled event) {
        head(MODEL_CALLED, event)
                .put("start_nanos", event.startNanos())
                .putUnless(0, "parent_seq", event.parentSeq())
                .put("first_token_nanos", event.firstTokenNanos())
                .put("provider", event.provider())
                .put("request_model", event.model())
                .put("parameters", event.parameters())
                .put(
                        "messages",
                        event.messages().stream().map(EventWriter::message).toList())
                .put("reply", event.reply() == null ? null : message(event.reply()))
                .put("usage", usage(event.usage()))
                .put("tokens", event.tokens() == null ? null : tokens(event.tokens()))
                .put("finish_reason", event.finishReason())
                .put("retries", event.retries())
                .put("error", event.error());
    }

    private static Map<String, Object> message(Message message) {
        List<?> calls = message.toolCalls().stream()
                .map(call -> fields("id", call.id(), "tool", call.tool(), "arguments", call.arguments()))
                .toList();
        return fields(
                "role", message.role(),
                "content", message.content(),
                "tool_calls", calls.isEmpty() ? null : calls,
                "tool_call_id", message.toolCallId());
    }

    private static Map<String, Object> usage(Usage usage) {
        return fields(
                "input_tokens", usage.inputTokens(),
                "output_tokens", usage.outputTokens(),
                "cached_tokens", usage.cachedTokens(),
                "reasoning_tokens", usage.reasoningTokens());
    }

    private static Map<String, Object> tokens(TokenTrace tokens) {
        return fields(
                "prompt_ids", tokens.promptIds(),
                "response_ids", tokens.responseIds(),
                "log_probabilities", tokens.logProbabilities(),
                "weights_version", tokens.weightsVersion());
    }

    private void toolCalled(ToolCalled event) {
        head(TOOL_CALLED, event)
                .put("start_nanos", event.startNanos())
                .putUnless(0, "parent_seq", event.parentSeq())
                .put("tool", event.tool())
                .put("provider", event.provider())
                .put("call_id", event.callId())
                .put("arguments", event.arguments())
                .put("result", event.result())
                .put("status_code", event.statusCode())
                .put("retries", event.retries())
                .put("error", event.error())
                .put("attributes", event.attributes());
    }

    private void rewardGiven(RewardGiven event) {
        head(REWARD_GIVEN, event)
                .put("scope", event.step() == RunEvent.NO_STEP ? "run" : "step")
                .put("source", event.source())
                .put("value", event.isAbsent() ? null : event.value())
                .put("absence", event.absence())
                .put(
                        "components",
                        event.components().stream().map(EventWriter::component).toList())
                .put("start_nanos", event.startNanos());
    }

    private static Map<String, Object> component(RewardComponent part) {
        return fields("name", part.name(), "value", part.value(), "weight", part.weight(), "unit", part.unit());
    }

    /** Carries what tells the step's start, so that the line says enough where the start's own is lost. */
    private void stepEnded(StepEnded event) {
        StepStarted started = event.started();
        head(STEP_ENDED, event)
                .putUnless(RunEvent.NO_STEP, "parent_step", started.parentStep())
                .put("start_seq", started.seq())
                .put("start_nanos", started.nanos())
                .put("action_type", event.actionType())
                .put("code", event.code())
                .put("output", event.output())
                .put("success", event.success())
                .put("error", event.error())
                .put("error_type", event.errorType())
                .put("reward", event.reward())
                .put("cumulative_reward", event.cumulativeReward())
                .put("state_before", event.stateBefore())
                .put("state_after", event.stateAfter())
                .put("tags", event.tags());
    }

    private void spanRecorded(SpanRecorded event) {
        head(SPAN_RECORDED, event)
                .put("start_nanos", event.startNanos())
                .put("name", event.name())
                .put("parent_seq", event.parentSeq())
                .put("attributes", event.attributes())
                .put("error", event.error());
    }

    private void artifactSaved(ArtifactSaved event) {
        head(ARTIFACT_SAVED, event)
                .put("name", event.name())
                .put("media_type", event.mediaType())
                .put("size", event.size())
                .put("sha256", event.sha256())
                .put("path", event.path());
    }

    private void heartbeat(Heartbeat event) {
        head(HEARTBEAT, event).put("steps", event.steps()).put("total_reward", event.totalReward());
    }

    private void metricsReported(MetricsReported event) {
        line.put("type", METRICS_REPORTED)
                .put("time", event.time())
                .put("category", event.category())
                .put("step_field", event.stepField())
                .put("values", event.values());
    }

    private void ledgerReported(LedgerReported event) {
        Map<String, Object> sinks = new LinkedHashMap<>();
        event.sinks().forEach((name, account) -> sinks.put(name, fields(account)));
        line.put("type", LEDGER_REPORTED).put("time", event.time()).put("sinks", sinks);
    }

    private static Map<String, Object> fields(LedgerReported.Account account) {
        return fields(
                "offered", account.offered(),
                "delivered", account.delivered(),
                "dropped", account.dropped().isEmpty() ? null : account.dropped(),
                "queued", account.queued());
    }

    private void runEnded(RunEnded event) {
        head(RUN_ENDED, event)
                .put("outcome", event.outcome().label())
                .put("status", status(event.status()))
                .put("solved", event.solved())
                .put("run_path", event.runPath())
                .put("termination_reason", event.terminationReason())
                .put("truncated", event.truncated())
                .put("steps", event.steps())
                .put("total_reward", event.totalReward())
                .put("absent_rewards", event.absentRewards())
                .put("final_answer", event.finalAnswer())
                .put("metrics", event.metrics())
                .put("error_type", event.errorType())
                .put("error", event.error());
    }

    static Map<String, Object> status(RunStatus status) {
        return fields(
                "code", status.code(),
                "message", status.message(),
                "details", status.details().isEmpty() ? null : status.details());
    }

    /** An object of the given names and values, those that are absent left out. */
    private static Map<String, Object> fields(@Nullable Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            Object value = namesAndValues[i + 1];
            if (value != null) {
                fields.put(String.valueOf(namesAndValues[i]), value);
            }
        }
        return fields;
    }
}
