package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
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
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The names of every event's fields, from line to event; reads the lines of one run. {@link EventWriter} is its inverse.
 *
 * <p>Parameters and attributes come back as they were recorded, for {@link dev.rlm.sinks.event.Plain} has made them so, but
 * for NaN and the infinities, which are their names.
 */
final class EventReader {
    private final RunInfo run;
    private final Map<Long, StepStarted> started = new HashMap<>();

    EventReader(RunInfo run) {
        this.run = run;
    }

    /** The step has started, and its end is read next. */
    void expectEndOf(StepStarted start) {
        started.put(start.seq(), start);
    }

    /** What a line tells of its run: everything if it is the start's, else what every line tells. */
    static RunInfo run(Fields line) {
        boolean start = line.text("type").equals(EventWriter.RUN_STARTED);
        Instant startedAt = line.time("time").minusNanos(nanos(line));
        return start ? described(line, startedAt) : identified(line, startedAt);
    }

    private static RunInfo described(Fields start, Instant startedAt) {
        return new RunInfo(
                start.text("run_id"),
                startedAt,
                start.content("task"),
                start.text("environment"),
                start.text("model"),
                start.integer("max_steps"),
                start.optionalNumber("seed"),
                nonNull(start.object("params")),
                start.object("tags").texts(),
                correlation(start),
                new TraceContext(
                        start.optionalText("traceparent"),
                        start.optionalText("tracestate"),
                        start.optionalText("baggage")));
    }

    private static RunInfo identified(Fields line, Instant startedAt) {
        return new RunInfo(
                line.text("run_id"),
                startedAt,
                Content.EMPTY,
                line.text("environment"),
                line.text("model"),
                0,
                null,
                Map.of(),
                Map.of(),
                Correlation.NONE,
                null);
    }

    private static Correlation correlation(Fields line) {
        return new Correlation(
                line.optionalText("experiment_id"),
                line.optionalText("invocation_id"),
                line.optionalText("rollout_id"),
                line.optionalText("trainer_run_id"),
                line.optionalText("sample_id"),
                line.optionalText("row_id"),
                line.optionalInteger("trajectory_index"),
                line.optionalInteger("attempt"),
                line.optionalInteger("epoch"),
                line.optionalNumber("train_step"),
                line.optionalText("split"),
                line.optionalText("policy_version"),
                line.optionalText("code_version"),
                line.optionalText("dataset_version"),
                line.optionalText("parent_run_id"));
    }

    static MetricsReported metricsReported(Fields line) {
        return new MetricsReported(
                line.time("time"),
                line.text("category"),
                line.text("step_field"),
                line.object("values").decimals());
    }

    static LedgerReported ledgerReported(Fields line) {
        Map<String, LedgerReported.Account> accounts = new LinkedHashMap<>();
        line.object("sinks").objects().forEach((name, account) -> accounts.put(name, account(account)));
        return new LedgerReported(line.time("time"), accounts);
    }

    private static LedgerReported.Account account(Fields account) {
        return new LedgerReported.Account(
                account.number("offered"),
                account.number("delivered"),
                new TreeMap<>(account.object("dropped").numbers()),
                account.number("queued"));
    }

    /** The event; {@code null} where the line is of a type that is not known here. */
    @Nullable
    RunEvent read(Fields line) {
        return switch (line.text("type")) {
            case EventWriter.RUN_STARTED -> new RunStarted(run, line.number("seq"));
            case EventWriter.STEP_STARTED -> stepStarted(line);
            case EventWriter.MODEL_CALLED -> modelCalled(line);
            case EventWriter.TOOL_CALLED -> toolCalled(line);
            case EventWriter.REWARD_GIVEN -> rewardGiven(line);
            case EventWriter.STEP_ENDED -> stepEnded(line);
            case EventWriter.SPAN_RECORDED -> spanRecorded(line);
            case EventWriter.ARTIFACT_SAVED -> artifactSaved(line);
            case EventWriter.HEARTBEAT -> heartbeat(line);
            case EventWriter.RUN_ENDED -> runEnded(line);
            default -> null;
        };
    }

    private StepStarted stepStarted(Fields line) {
        StepStarted event =
                new StepStarted(run, seq(line), nanos(line), step(line), parentStep(line), line.content("observation"));
        started.put(event.seq(), event);
        return event;
    }

    private static long seq(Fields line) {
        return line.number("seq");
    }

    private static long nanos(Fields line) {
        return line.number("nanos");
    }

    private static int step(Fields line) {
        return line.integer("step", RunEvent.NO_STEP);
    }

    private static int parentStep(Fields line) {
        return line.integer("parent_step", RunEvent.NO_STEP);
    }

    private static Map<String, Object> nonNull(Fields fields) {
        @SuppressWarnings({"unchecked", "NullAway"}) // what was recorded as null, a record's map holds as null too
        Map<String, Object> values = (Map<String, Object>) (Map<?, ?>) fields.values();
        return values;
    }

    private ModelCalled modelCalled(Fields line) {
        return new ModelCalled(
                run,
                seq(line),
                nanos(line),
                step(line),
                line.number("start_nanos"),
                line.number("parent_seq", 0),
                line.optionalNumber("first_token_nanos"),
                line.text("provider"),
                line.text("request_model"),
                nonNull(line.object("parameters")),
                line.objects("messages", EventReader::message),
                line.has("reply") ? message(line.object("reply")) : null,
                usage(line.object("usage")),
                line.has("tokens") ? tokens(line.object("tokens")) : null,
                line.optionalText("finish_reason"),
                line.integer("retries"),
                line.optionalContent("error"));
    }

    private static Message message(Fields message) {
        return new Message(
                message.text("role"),
                message.content("content"),
                message.objects(
                        "tool_calls",
                        call -> new Message.ToolRequest(call.text("id"), call.text("tool"), call.content("arguments"))),
                message.optionalText("tool_call_id"));
    }

    private static Usage usage(Fields usage) {
        return new Usage(
                usage.optionalNumber("input_tokens"),
                usage.optionalNumber("output_tokens"),
                usage.optionalNumber("cached_tokens"),
                usage.optionalNumber("reasoning_tokens"));
    }

    private static TokenTrace tokens(Fields tokens) {
        return new TokenTrace(
                tokens.integers("prompt_ids"),
                tokens.integers("response_ids"),
                tokens.decimals("log_probabilities"),
                tokens.optionalText("weights_version"));
    }

    private ToolCalled toolCalled(Fields line) {
        return new ToolCalled(
                run,
                seq(line),
                nanos(line),
                step(line),
                line.number("start_nanos"),
                line.number("parent_seq", 0),
                line.text("tool"),
                line.text("provider"),
                line.optionalText("call_id"),
                line.content("arguments"),
                line.content("result"),
                line.integer("status_code"),
                line.integer("retries"),
                line.optionalContent("error"),
                nonNull(line.object("attributes")));
    }

    /** The value of the reward on a line; NaN where it is absent. */
    static double rewardValue(Fields line) {
        return line.has("value") ? line.decimal("value") : Double.NaN;
    }

    private RewardGiven rewardGiven(Fields line) {
        return new RewardGiven(
                run,
                seq(line),
                nanos(line),
                step(line),
                line.text("source"),
                rewardValue(line),
                line.optionalText("absence"),
                line.objects("components", EventReader::component),
                line.number("start_nanos"));
    }

    private static RewardComponent component(Fields part) {
        return new RewardComponent(
                part.text("name"), part.decimal("value"), part.decimal("weight"), part.optionalText("unit"));
    }

    private StepEnded stepEnded(Fields line) {
        StepStarted start = started.remove(line.number("start_seq"));
        return new StepEnded(
                start != null ? start : startOf(line),
                seq(line),
                nanos(line),
                line.text("action_type"),
                line.content("code"),
                line.content("output"),
                line.flag("success"),
                line.optionalContent("error"),
                line.optionalText("error_type"),
                line.decimal("reward"),
                line.decimal("cumulative_reward"),
                line.optionalText("state_before"),
                line.optionalText("state_after"),
                line.object("tags").texts());
    }

    /** The step's start as its end tells it: without what the agent saw. */
    private StepStarted startOf(Fields end) {
        return new StepStarted(
                run,
                end.number("start_seq"),
                end.number("start_nanos"),
                end.integer("step"),
                parentStep(end),
                Content.EMPTY);
    }

    private SpanRecorded spanRecorded(Fields line) {
        return new SpanRecorded(
                run,
                seq(line),
                nanos(line),
                step(line),
                line.number("start_nanos"),
                line.text("name"),
                line.number("parent_seq"),
                nonNull(line.object("attributes")),
                line.optionalContent("error"));
    }

    private ArtifactSaved artifactSaved(Fields line) {
        return new ArtifactSaved(
                run,
                seq(line),
                nanos(line),
                step(line),
                line.text("name"),
                line.text("media_type"),
                line.number("size"),
                line.text("sha256"),
                line.text("path"));
    }

    private Heartbeat heartbeat(Fields line) {
        return new Heartbeat(run, seq(line), nanos(line), line.integer("steps"), line.decimal("total_reward"));
    }

    private RunEnded runEnded(Fields line) {
        return new RunEnded(
                run,
                seq(line),
                nanos(line),
                Outcome.valueOf(line.text("outcome").toUpperCase(Locale.ROOT)),
                status(line.object("status")),
                line.flag("solved"),
                line.optionalText("run_path"),
                line.optionalText("termination_reason"),
                line.flag("truncated"),
                line.integer("steps"),
                line.decimal("total_reward"),
                line.integer("absent_rewards"),
                line.optionalContent("final_answer"),
                line.object("metrics").decimals(),
                line.optionalText("error_type"),
                line.optionalContent("error"));
    }

    private static RunStatus status(Fields status) {
        return new RunStatus(
                status.integer("code"),
                status.text("message"),
                status.object("details").texts());
    }
}
