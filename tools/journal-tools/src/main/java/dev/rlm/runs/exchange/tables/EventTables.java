package dev.rlm.runs.exchange.tables;

import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.EventSchema;
import dev.rlm.sinks.schema.FieldKind;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tables of which a row is an event. */
final class EventTables {
    private static final Set<String> LEFT_OUT = Set.of("start_nanos", "first_token_nanos", "usage");
    private static final List<String> HEAD = List.of("run_id", "sample_id", "seq", "step");
    private static final List<String> TIMES = List.of("started_at", "ended_at", "duration_s");

    static final ExportTable REWARDS = new ExportTable(
            "rewards",
            columns(EventType.REWARD_GIVEN, Stream.of("scope", "source", "value", "absence", "late")),
            (run, events) -> {
                RunEnded end = run.row().end();
                return rows(RewardGiven.class, run, events).map(row -> {
                    row.values.put("late", end != null && row.event.seq() > end.seq());
                    return row.timed(row.event.startNanos());
                });
            });

    static final ExportTable MODEL_CALLS = new ExportTable(
            "model_calls",
            columns(
                    EventType.MODEL_CALLED,
                    Stream.concat(
                            Stream.of("provider", "request_model", "response_model", "time_to_first_token_s", "error"),
                            Stream.concat(
                                    ExportTable.USAGE.stream().map(EventField::name),
                                    Stream.of("finish_reason", "messages", "reply_text", "reply")))),
            (run, events) -> rows(ModelCalled.class, run, events).map(row -> {
                ModelCalled call = row.event;
                Long first = call.firstTokenNanos();
                ExportTable.put(row.values, ExportTable.USAGE, call.usage());
                row.values.put(
                        "reply_text", call.reply() == null ? null : call.reply().content());
                row.values.put(
                        "time_to_first_token_s",
                        first == null || !row.timed ? null : Duration.ofNanos(first - call.startNanos()));
                return row.timed(call.startNanos());
            }));

    static final ExportTable TOOL_CALLS = new ExportTable(
            "tool_calls",
            columns(
                    EventType.TOOL_CALLED,
                    Stream.of("tool", "provider", "arguments", "result", "error", "status_code")),
            (run, events) -> rows(ToolCalled.class, run, events).map(row -> row.timed(row.event.startNanos())));

    private EventTables() {}

    private static Map<String, FieldKind> columns(EventType type, Stream<String> names) {
        return ExportTable.columns(
                List.of(HEAD.stream(), TIMES.stream(), names),
                LEFT_OUT,
                Stream.of(EventSchema.of(type).fields()));
    }

    private static <T extends RunEvent> Stream<Row<T>> rows(Class<T> kind, RunSummary run, List<RunEvent> events) {
        return events.stream()
                .filter(kind::isInstance)
                .map(event -> new Row<>(kind.cast(event), run.hasTimesWithin(), values(event)));
    }

    private static Map<String, @Nullable Object> values(RunEvent event) {
        Map<String, @Nullable Object> values = new HashMap<>();
        ExportTable.put(values, EventSchema.of(event.type()).fields(), (Record) event);
        values.put("run_id", event.run().runId());
        values.put("sample_id", event.run().correlation().sample());
        values.put("seq", event.seq());
        values.put("step", event.step() == RunEvent.NO_STEP ? null : event.step());
        return values;
    }

    /** A row in the making. */
    private record Row<T extends RunEvent>(T event, boolean timed, Map<String, @Nullable Object> values) {
        Map<String, @Nullable Object> timed(long startNanos) {
            if (timed) {
                values.put("started_at", event.run().at(startNanos));
                values.put("ended_at", event.time());
                values.put("duration_s", Duration.ofNanos(event.nanos() - startNanos));
            }
            return values;
        }
    }
}
