package dev.rlm.journal;

import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.line.BlocksAhead;
import dev.rlm.journal.line.EventReader;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.LineBlock;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a journal's lines, which gathers the lines of the chosen runs. The events of a run are read, and its result is made, on any
 * core once its last line has come; results are handed over in that order. The last line is known by its segment and
 * its number there, which stay as they are, because files only grow.
 *
 * @param <T> type of the result of a run
 */
final class RunPass<T> implements WriterLines.Reader {
    private static final String START = EventType.RUN_STARTED.label();
    private static final long MAX_AHEAD =
            4 << 20; // bytes of lines, whose events and results take several times as much

    private final Map<String, RunSummary> waiting = new LinkedHashMap<>();
    private final Map<String, Gathered> open = new HashMap<>(); // made when a run's first line comes: so they die young
    private final LastLines last;
    private final Set<String> types;
    private final BiFunction<RunSummary, List<RunEvent>, T> maker;
    private final Consumer<T> taker;
    private final BlocksAhead<Made<T>> ahead = new BlocksAhead<>();
    private long bytesAhead;
    private long damaged;

    /**
     * A pass that has not begun.
     *
     * @param types of the lines whose events are wanted
     * @param maker called on any thread
     * @param taker called on the thread of the pass
     */
    RunPass(
            Collection<RunSummary> chosen,
            Set<String> types,
            BiFunction<RunSummary, List<RunEvent>, T> maker,
            Consumer<T> taker) {
        this.types = types;
        this.maker = maker;
        this.taker = taker;
        chosen.forEach(run -> waiting.put(run.runId(), run));
        this.last = new LastLines(waiting.values());
    }

    @Override
    public boolean wants(String type) {
        return types.contains(type) || type.equals(START);
    }

    @Override
    public void line(Segment segment, LineBlock.Line line) {
        Gathered run = wants(line.head().type()) ? gathered(line.head().runId()) : null;
        if (run != null) {
            run.lines.append(line);
        }
    }

    private @Nullable Gathered gathered(String runId) {
        RunSummary run = waiting.get(runId);
        return run == null ? null : open.computeIfAbsent(runId, id -> new Gathered(run));
    }

    @Override
    public void passed(Segment segment, long line) throws IOException {
        for (String ended = last.endedBy(segment, line); ended != null; ended = last.endedBy(segment, line)) {
            RunSummary run = waiting.remove(ended);
            if (run != null) {
                make(run);
            }
        }
    }

    /** Hands over all runs, with what there is of those whose files have gone in the meantime. */
    void handOverAll() throws IOException {
        for (RunSummary run : waiting.values()) {
            make(run);
        }
        waiting.clear();
        while (!ahead.isEmpty()) {
            takeNext();
        }
        open.clear();
    }

    /** Returns how many lines did not tell what their events must. */
    long damaged() {
        return damaged;
    }

    private void make(RunSummary run) throws IOException {
        Gathered gathered = Objects.requireNonNullElseGet(open.remove(run.runId()), () -> new Gathered(run));
        bytesAhead += gathered.lines.length();
        ahead.add(() -> gathered.made());
        while (ahead.isFull() || bytesAhead > MAX_AHEAD) {
            takeNext();
        }
    }

    private void takeNext() throws IOException {
        Made<T> made = ahead.next();
        bytesAhead -= made.bytes;
        damaged += made.damaged;
        taker.accept(made.result);
    }

    /** Result made of the lines of a run, with the number of unreadable lines and the bytes of all. */
    private record Made<T>(T result, long damaged, long bytes) {}

    /** Lines of a run that have come so far. */
    private final class Gathered {
        private final RunSummary summary;
        private final LineBlock lines = new LineBlock();
        private final EventReader reader;
        private final RunEvents events = new RunEvents();
        private @Nullable RunInfo start;
        private boolean early;

        Gathered(RunSummary summary) {
            this.summary = summary;
            this.reader = new EventReader(summary.row().run());
        }

        /** Reads the events, and makes of them what is wanted. */
        Made<T> made() {
            long unreadable = 0;
            for (LineBlock.Line line : lines.lines()) {
                try {
                    add(Objects.requireNonNull(line).read());
                } catch (RuntimeException e) {
                    unreadable++;
                }
            }
            return new Made<>(maker.apply(summary, all()), unreadable, lines.length());
        }

        private void add(Fields line) {
            boolean starts = line.text("type").equals(START);
            if (starts && start == null) {
                start = EventReader.run(line);
                reader.runIs(start);
            }
            RunEvent event = starts && !types.contains(START) ? null : reader.read(line);
            if (event != null) {
                early |= start == null;
                events.add(event);
            }
        }

        /** Returns the events; those that were read before their run's start get to know all of the run. */
        private List<RunEvent> all() {
            RunInfo run = start;
            return early && run != null
                    ? events.all().stream()
                            .map(event -> EventReader.ofRun(event, run))
                            .toList()
                    : events.all();
        }
    }
}
