package dev.rlm.recorder;

import dev.rlm.cli.Durations;
import dev.rlm.journal.EventFields;
import dev.rlm.json.Json;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.TraceContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The runs that are recorded, and those that ended last. Safe for use by several threads. */
final class RecordedRuns {
    private static final int REMEMBERED = 4_096;
    private static final int MAX_CHECK_MILLIS = 10_000;
    private static final int CHECKS = 4; // in the time that a run may be silent

    private final Sinks sinks;
    private final UnaryOperator<String> redaction;
    private final RunEnding.Solved solved;
    private final RecordSummary summary;
    private final Map<String, ClientRun> open = new ConcurrentHashMap<>();

    // Those that ended last, of which the eldest that are too large in all are forgotten but for their ids. Guards
    // endedSize.
    private final Map<String, Optional<ClientRun>> ended = new LinkedHashMap<>();
    private long endedSize; // bytes, about
    private final RunsMemory memory = new RunsMemory(Runtime.getRuntime().maxMemory());
    private final JournalRuns journal;
    private volatile boolean closed;

    RecordedRuns(
            Sinks sinks,
            UnaryOperator<String> redaction,
            RunEnding.Solved solved,
            RecordSummary summary,
            JournalRuns journal) {
        this.sinks = sinks;
        this.redaction = redaction;
        this.solved = solved;
        this.summary = summary;
        this.journal = journal;
    }

    /** Records a line; its event. */
    Event take(Line line, Client client) {
        if (line.type() == EventType.METRICS_REPORTED) {
            return metrics(line);
        } else if (line.type() == EventType.STANDALONE_SPAN_RECORDED) {
            return span(line);
        } else if (line.type() == EventType.RUN_STARTED) {
            return start(line, client);
        }
        ClientRun run = find(line, client);
        RunEvent event = run.take(line);
        if (event instanceof RunEnded) {
            client.ended(run);
        }
        return event;
    }

    private MetricsReported metrics(Line line) {
        line.put("time", RunClock.time(line).toString());
        Map<String, Double> values = line.numbers("values");
        String step = line.get("step_field", String.class);
        if (step == null) {
            step = MetricsReported.stepField(values).orElse("");
            line.put("step_field", step);
        }
        if (!Double.isFinite(values.getOrDefault(step, Double.NaN))) {
            throw new LineRefusedException(
                    "metrics_reported needs a finite number among its values that says how far training is: "
                            + (step.isEmpty() ? "one of " + String.join(", ", MetricsReported.STEP_FIELDS) : step));
        }
        MetricsReported metrics = EventFields.metrics(line.fields()).categorized();
        sinks.publish(metrics);
        return metrics;
    }

    /** Without ids it is the root of a trace of its own. */
    private StandaloneSpanRecorded span(Line line) {
        line.put("time", RunClock.time(line).toString());
        line.putIfAbsent("trace_id", spanId() + spanId());
        line.putIfAbsent("span_id", spanId());
        StandaloneSpanRecorded span = EventFields.span(line.fields());
        sinks.publish(span);
        return span;
    }

    private static String spanId() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
    }

    private ClientRun find(Line line, Client client) {
        String runId = line.get("run_id", String.class);
        ClientRun run = runId == null ? client.onlyRun(line.type()) : known(runId);
        if (run == null && runId != null && line.type() == EventType.REWARD_GIVEN) {
            run = ended(runId);
        }
        if (run == null) {
            throw new LineRefusedException("run " + shown(runId) + " is not known here: it needs a run_started first");
        }
        return run;
    }

    private static String shown(@Nullable String runId) {
        return ValueReader.excerpt(Json.text(String.valueOf(runId)));
    }

    private @Nullable ClientRun known(String runId) {
        ClientRun run = open.get(runId);
        synchronized (ended) {
            return run == null ? ended.getOrDefault(runId, Optional.empty()).orElse(null) : run;
        }
    }

    /** Returns a run that the journal alone knows, so that it takes late rewards. */
    private @Nullable ClientRun ended(String runId) {
        List<RunEvent> events = journal.ended(runId);
        if (events.isEmpty()) {
            return null;
        }
        ClientRun run = new ClientRun(events, ending(), memory, this::publish);
        synchronized (ended) {
            ClientRun known = known(runId);
            return known == null ? remember(run) : known;
        }
    }

    /**
     * Gives a reward to a run that is recorded here, or was; returns whether it is.
     *
     * @throws LineRefusedException if the run takes none
     */
    boolean reward(String runId, String source, double value) {
        ClientRun run = known(runId);
        if (run == null) {
            return false;
        }
        JsonNode line = Json.tree(
                Map.of("type", EventType.REWARD_GIVEN.label(), "scope", "run", "source", source, "value", value));
        var unused = run.take(Line.read((ObjectNode) line, new ValueReader(redaction), 0));
        return true;
    }

    private RunStarted start(Line line, Client client) {
        if (!line.has("run_id")) {
            line.put("run_id", RunSpec.builder("any").build().runId());
        } else if (journal.hadEnded(String.valueOf(line.get("run_id", String.class)))) {
            throw new LineRefusedException(
                    "run " + shown(line.get("run_id", String.class))
                            + " is in the journal already: a run_id is unique for each execution",
                    repeated(line));
        }
        Long nanos = line.get("nanos", Long.class);
        if (nanos != null && nanos != 0) {
            throw new LineRefusedException("nanos of run_started is 0 or absent: its time is the run's start");
        }
        RunInfo info = info(line);
        memory.checkRoom();
        ClientRun run = new ClientRun(info, line, ending(), memory, this::publish);
        synchronized (run) { // no other line of it is recorded before its start
            if (closed) {
                throw new LineRefusedException(
                        "the recorder is ending: it takes no more runs", LineRefusedException.Reason.LATER);
            } else if (hasStarted(info.runId()) || open.putIfAbsent(info.runId(), run) != null) {
                throw new LineRefusedException(
                        "run " + shown(info.runId()) + " has started already: a run_id is unique for each execution",
                        repeated(line));
            }
            abandonEarlierAttempts(info);
            client.started(run);
            return run.start();
        }
    }

    /** A start that has a number was sent before, with the same id. */
    private static LineRefusedException.Reason repeated(Line line) {
        return line.has("seq") ? LineRefusedException.Reason.REPEATED : LineRefusedException.Reason.WRONG;
    }

    /** Abandons the open attempts before this one: their process may have died, and their sender has given them up. */
    private void abandonEarlierAttempts(RunInfo info) {
        if (info.correlation().attempt() != null && info.correlation().attempt() > 1) {
            cutOff(
                    run -> run.isEarlierAttempt(info.correlation()),
                    Outcome.ABANDONED,
                    "attempt " + info.correlation().attempt() + " at its rollout has begun");
        }
    }

    private RunInfo info(Line line) {
        line.put("time", RunClock.time(line).toString());
        line.put("nanos", 0L);
        line.putIfAbsent("pass_reward", solved.passReward());
        RunInfo read = EventFields.run(line.fields());
        TraceContext parent = read.parent() == null ? null : read.parent().map(redaction);
        Correlation correlation = read.correlation();
        String parentRun = parent == null || correlation.parentRun() != null
                ? null
                : parent.baggageEntry(TraceContext.RUN_ID)
                        .filter(id -> !id.isBlank())
                        .orElse(null);
        return RunInfoBuilder.builder(read)
                .correlation(parentRun == null ? correlation : correlation.withParentRun(parentRun))
                .parent(parent)
                .build();
    }

    private RunEnding ending() {
        String path = sinks.recordPaths().values().stream()
                .map(Path::toString)
                .findFirst()
                .orElse(null);
        return new RunEnding(solved, path);
    }

    /** Called under the run's lock. */
    private void publish(RunEvent event) {
        if (event instanceof RunEnded end) {
            String runId = end.run().runId();
            ClientRun run = open.get(runId);
            if (run != null) {
                var unused = remember(run); // first: at no moment is it unknown
                open.remove(runId);
            }
        }
        summary.published(event);
        sinks.publish(event);
    }

    private boolean hasStarted(String runId) {
        synchronized (ended) {
            return open.containsKey(runId) || ended.containsKey(runId);
        }
    }

    private ClientRun remember(ClientRun run) {
        synchronized (ended) {
            ended.put(run.info().runId(), Optional.of(run));
            endedSize += run.size();
            Iterator<Optional<ClientRun>> eldest = ended.values().iterator();
            if (ended.size() > REMEMBERED) {
                endedSize -= eldest.next().map(ClientRun::size).orElse(0L);
                eldest.remove();
            }
            for (Map.Entry<String, Optional<ClientRun>> each : ended.entrySet()) {
                ClientRun kept = each.getValue().orElse(null);
                if (endedSize <= memory.maxEnded() || kept == run) {
                    break;
                } else if (kept != null) {
                    endedSize -= kept.size();
                    each.setValue(Optional.empty());
                }
            }
        }
        return run;
    }

    /**
     * Abandons the runs of which nothing is heard for so long: HTTP does not tell that a client has died.
     *
     * @return to be shut down
     */
    ExecutorService abandonSilent(Duration limit) {
        String why = "nothing was heard of it for " + Durations.text(limit) + " (a heartbeat keeps a run alive)";
        long period = Math.max(1, Math.min(MAX_CHECK_MILLIS, limit.toMillis() / CHECKS));
        return RecorderThreads.repeating(
                () -> cutOff(run -> run.silence() > limit.toNanos(), Outcome.ABANDONED, why),
                Duration.ofMillis(period),
                "rlm-record-idle");
    }

    /** Ends all that are open, and takes no more. */
    void cutOff(Outcome outcome, String why) {
        closed = true;
        cutOff(run -> true, outcome, why);
    }

    private void cutOff(Predicate<ClientRun> which, Outcome outcome, String why) {
        new ArrayList<>(open.values()).stream().filter(which).forEach(run -> run.cutOff(outcome, why));
    }
}
