package dev.rlm.recorder;

import dev.rlm.cli.Durations;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.jsonl.EventFields;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The runs that are recorded, and those that ended last. Safe for use by several threads. */
final class RecordedRuns {
    private static final int REMEMBERED = 4_096;

    private final Sinks sinks;
    private final UnaryOperator<String> redaction;
    private final Totals.Solved solved;
    private final Counts counts;
    private final Map<String, RecordedRun> open = new ConcurrentHashMap<>();

    private final Map<String, RecordedRun> ended = new LinkedHashMap<>(); // guards itself and the next two
    private final Set<String> forgotten = new LinkedHashSet<>(); // ids of those that were too large to be kept
    private long endedSize; // bytes, about
    private final RunsMemory memory = new RunsMemory(Runtime.getRuntime().maxMemory());
    private final Supplier<Set<String>> earlier;
    private @Nullable Set<String> earlierRuns; // guarded by this
    private volatile boolean closed;

    RecordedRuns(
            Sinks sinks,
            UnaryOperator<String> redaction,
            Totals.Solved solved,
            Counts counts,
            Supplier<Set<String>> earlier) {
        this.sinks = sinks;
        this.redaction = redaction;
        this.solved = solved;
        this.counts = counts;
        this.earlier = earlier;
    }

    /** Records a line; the number of its event and its run. */
    Recorded take(Line line, Client client) throws RefusedException {
        if (line.type() == EventType.METRICS_REPORTED) {
            return metrics(line);
        } else if (line.type() == EventType.RUN_STARTED) {
            return start(line, client);
        }
        RecordedRun run = find(line, client);
        RunEvent event = run.take(line);
        if (event instanceof RunEnded) {
            client.ended(run);
        }
        return new Recorded(run.info().runId(), event.seq());
    }

    private Recorded metrics(Line line) throws RefusedException {
        Instant time = line.time("time");
        line.put("time", String.valueOf(time == null ? Instant.now() : RunClock.checked("time", time)));
        Map<String, Double> values = line.numbers("values");
        String step = line.text("step_field");
        if (step == null) {
            step = MetricsReported.stepField(values).orElse("");
            line.put("step_field", step);
        }
        if (!Double.isFinite(values.getOrDefault(step, Double.NaN))) {
            throw new RefusedException(
                    "metrics_reported needs a finite number among its values that says how far training is: "
                            + (step.isEmpty() ? "one of " + String.join(", ", MetricsReported.STEP_FIELDS) : step));
        }
        try {
            sinks.publish(EventFields.metrics(line.fields()).categorized());
        } catch (IllegalArgumentException e) {
            throw new RefusedException(String.valueOf(e.getMessage()));
        }
        return new Recorded(null, 0);
    }

    private RecordedRun find(Line line, Client client) throws RefusedException {
        String runId = line.text("run_id");
        RecordedRun run = runId == null ? client.onlyRun(line.type()) : known(runId);
        if (run == null) {
            throw new RefusedException("run " + Kind.excerpt(JsonText.of(String.valueOf(runId)))
                    + " is not known here: it needs a run_started first");
        }
        return run;
    }

    private @Nullable RecordedRun known(String runId) {
        RecordedRun run = open.get(runId);
        synchronized (ended) {
            return run == null ? ended.get(runId) : run;
        }
    }

    private Recorded start(Line line, Client client) throws RefusedException {
        if (!line.has("run_id")) {
            line.put("run_id", RunSpec.builder("any").build().runId());
        } else if (endedEarlier(line.text("run_id"))) {
            throw new RefusedException("run " + Kind.excerpt(JsonText.of(String.valueOf(line.text("run_id"))))
                    + " is in the journal already: a run_id is unique for each execution");
        }
        Long nanos = line.whole("nanos");
        if (nanos != null && nanos != 0) {
            throw new RefusedException("nanos of run_started is 0 or absent: its time is the run's start");
        }
        RunInfo info = info(line);
        memory.checkRoom();
        RecordedRun run = new RecordedRun(info, line.length(), ending(), memory, this::publish);
        long seq = run.startSeq(line);
        synchronized (run) { // nobody is to come before its start
            if (closed) {
                throw new RefusedException("the recorder is ending: it takes no more runs");
            } else if (hasStarted(info.runId()) || open.putIfAbsent(info.runId(), run) != null) {
                throw new RefusedException("run " + Kind.excerpt(JsonText.of(info.runId()))
                        + " has started already: a run_id is unique for each execution");
            }
            client.started(run);
            counts.started();
            run.start(seq);
            return new Recorded(info.runId(), seq);
        }
    }

    /** Two runs of one id would be one to whoever reads the journal. */
    private synchronized boolean endedEarlier(@Nullable String runId) {
        if (earlierRuns == null) {
            earlierRuns = earlier.get();
        }
        return earlierRuns.contains(runId);
    }

    private RunInfo info(Line line) throws RefusedException {
        line.put("time", RunClock.start(line).toString());
        line.put("nanos", 0L);
        try {
            RunInfo read = EventFields.run(line.fields());
            TraceContext parent = read.parent() == null ? null : read.parent().map(redaction);
            return withParent(read, parent);
        } catch (IllegalArgumentException e) {
            throw new RefusedException(String.valueOf(e.getMessage()));
        }
    }

    private static RunInfo withParent(RunInfo run, @Nullable TraceContext parent) {
        String parentRun = parent == null || run.correlation().parentRun() != null
                ? null
                : parent.baggageEntry(TraceContext.RUN_ID)
                        .filter(id -> !id.isBlank())
                        .orElse(null);
        return RunInfoBuilder.builder(run)
                .correlation(
                        parentRun == null
                                ? run.correlation()
                                : run.correlation().withParentRun(parentRun))
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
    private void publish(Event event) {
        if (event instanceof RunEnded end) {
            counts.ended(end.outcome());
            String runId = end.run().runId();
            RecordedRun run = open.get(runId);
            if (run != null) {
                remember(run); // first: at no moment is it unknown
                open.remove(runId);
            }
        }
        counts.event();
        sinks.publish(event);
    }

    private void remember(RecordedRun run) {
        synchronized (ended) {
            ended.put(run.info().runId(), run);
            endedSize += run.size();
            Iterator<RecordedRun> eldest = ended.values().iterator();
            while (ended.size() > REMEMBERED || (endedSize > memory.maxEnded() && ended.size() > 1)) {
                RecordedRun each = eldest.next();
                endedSize -= each.size();
                eldest.remove();
                forgotten.add(each.info().runId());
            }
            Iterator<String> ids = forgotten.iterator();
            while (ended.size() + forgotten.size() > REMEMBERED) {
                ids.next();
                ids.remove();
            }
        }
    }

    private boolean hasStarted(String runId) {
        synchronized (ended) {
            return known(runId) != null || forgotten.contains(runId);
        }
    }

    /** Abandons the runs of which nothing has been heard for so long. */
    void abandonSilent(Duration limit) {
        for (RecordedRun run : new ArrayList<>(open.values())) {
            if (run.silence() > limit.toNanos()) {
                run.cutOff(
                        Outcome.ABANDONED,
                        "nothing was heard of it for " + Durations.text(limit) + " (a heartbeat keeps a run alive)");
            }
        }
    }

    /** Ends all that are open, and takes no more. */
    void cutOff(Outcome outcome, String why) {
        closed = true;
        new ArrayList<>(open.values()).forEach(run -> run.cutOff(outcome, why));
    }

    int open() {
        return open.size();
    }

    /** What a line has become: an event of that number. */
    record Recorded(@Nullable String runId, long seq) {}
}
