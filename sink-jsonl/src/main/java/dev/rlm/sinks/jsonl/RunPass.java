package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.jsonl.segment.Segment;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One reading of a journal's lines, which gathers the events of the chosen runs and hands each run over once it is whole. */
final class RunPass implements WriterLines.Reader {
    private static final String START = EventType.RUN_STARTED.label();

    private final Map<String, RunSummary> waiting = new LinkedHashMap<>();
    private final Map<String, Gathered> open = new HashMap<>(); // made when a run's first line comes: so they die young
    private final LastLines last;
    private final Set<String> types;
    private final Journal.RunReader reader;

    /**
     * A reading that has not begun.
     *
     * @param types of the lines whose events are wanted
     */
    RunPass(Collection<RunSummary> chosen, Set<String> types, Journal.RunReader reader) {
        this.types = types;
        this.reader = reader;
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
            run.add(line.read());
        }
    }

    private @Nullable Gathered gathered(String runId) {
        RunSummary run = waiting.get(runId);
        return run == null ? null : open.computeIfAbsent(runId, id -> new Gathered(run));
    }

    @Override
    public void passed(Segment segment, long line) {
        for (String ended = last.endedBy(segment, line); ended != null; ended = last.endedBy(segment, line)) {
            RunSummary run = waiting.remove(ended);
            if (run != null) {
                handOver(run);
            }
        }
    }

    /** Returns the runs by their ids that have not been handed over, and forgets them. */
    Map<String, RunSummary> waiting() {
        open.clear();
        return waiting;
    }

    /** Hands over what there is of the runs whose files have gone in the meantime. */
    void handOverTheRest() {
        waiting.values().forEach(this::handOver);
        waiting.clear();
    }

    private void handOver(RunSummary run) {
        Gathered gathered = open.remove(run.runId());
        reader.read(run, gathered == null ? List.of() : gathered.all());
    }

    /** What has been read so far of a run. */
    private final class Gathered {
        private final EventReader lines;
        private final RunEvents events = new RunEvents();
        private @Nullable RunInfo start;
        private boolean early;

        Gathered(RunSummary summary) {
            this.lines = new EventReader(summary.row().run());
        }

        void add(Fields line) {
            boolean starts = line.text("type").equals(START);
            if (starts && start == null) {
                start = EventReader.run(line);
                lines.runIs(start);
            }
            RunEvent event = starts && !types.contains(START) ? null : lines.read(line);
            if (event != null) {
                early |= start == null;
                events.add(event);
            }
        }

        /** Returns the events; those that were read before their run's start get to know all of the run. */
        List<RunEvent> all() {
            RunInfo run = start;
            return early && run != null
                    ? events.all().stream()
                            .map(event -> EventReader.ofRun(event, run))
                            .toList()
                    : events.all();
        }
    }
}
