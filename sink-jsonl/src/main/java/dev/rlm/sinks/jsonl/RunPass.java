package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.RunEvent;
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
    private final Map<String, RunSummary> waiting = new LinkedHashMap<>();
    private final Map<String, Gathered> open = new HashMap<>(); // made when a run's first line comes: so they die young
    private final LastLines last;
    private final Set<String> types;
    private final Journal.RunReader reader;

    /**
     * A reading that has not begun.
     *
     * @param types of the lines whose events are wanted
     * @param last where the last line of each run stands
     */
    RunPass(Collection<RunSummary> chosen, Set<String> types, Map<String, Place> last, Journal.RunReader reader) {
        this.types = types;
        this.reader = reader;
        chosen.forEach(run -> waiting.put(run.run().runId(), run));
        this.last = new LastLines(waiting.keySet(), last);
    }

    @Override
    public boolean wants(String type) {
        return types.contains(type);
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

    /** Hands over what there is of the runs whose files have gone in the meantime. */
    void handOverTheRest() {
        waiting.values().forEach(this::handOver);
        waiting.clear();
    }

    private void handOver(RunSummary run) {
        Gathered gathered = open.remove(run.run().runId());
        reader.read(run, gathered == null ? List.of() : gathered.events.all());
    }

    /** What has been read so far of a run. */
    private static final class Gathered {
        private final EventReader lines;
        private final RunEvents events = new RunEvents();

        Gathered(RunSummary summary) {
            this.lines = new EventReader(summary.run());
        }

        void add(Fields line) {
            RunEvent event = lines.read(line);
            if (event != null) {
                events.add(event);
            }
        }
    }
}
