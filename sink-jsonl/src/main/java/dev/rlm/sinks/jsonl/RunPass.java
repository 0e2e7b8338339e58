package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.jsonl.segment.Segment;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One reading of a journal's lines, which gathers the events of the chosen runs and hands each run over once it is whole. */
final class RunPass implements WriterLines.Reader {
    private final Map<String, Gathered> waiting = new LinkedHashMap<>();
    private final Journal.RunReader reader;

    /**
     * A reading that has not begun.
     *
     * @param lines how many lines there are of each run
     */
    RunPass(Collection<RunSummary> chosen, Map<String, Integer> lines, Journal.RunReader reader) {
        this.reader = reader;
        chosen.forEach(run -> {
            String runId = run.run().runId();
            waiting.put(runId, new Gathered(run, lines.getOrDefault(runId, 0)));
        });
    }

    @Override
    public void line(Segment segment, WriterLines.Line line) {
        Gathered run = run(line.head());
        if (run != null) {
            run.add(line.read());
        }
    }

    private @Nullable Gathered run(LineHead head) {
        return EventWriter.isOfRun(head.type()) ? waiting.get(head.runId()) : null;
    }

    @Override
    public void passed(LineHead head) {
        Gathered run = run(head);
        if (run != null && --run.linesLeft == 0) {
            waiting.remove(head.runId());
            run.handOverTo(reader);
        }
    }

    /** Hands over what there is of the runs whose files have gone in the meantime. */
    void handOverTheRest() {
        waiting.values().forEach(run -> run.handOverTo(reader));
        waiting.clear();
    }

    /** What has been read so far of a run. */
    private static final class Gathered {
        private final RunSummary summary;
        private final EventReader lines;
        private final Map<Long, RunEvent> events = new TreeMap<>();
        private int linesLeft;

        Gathered(RunSummary summary, int linesLeft) {
            this.summary = summary;
            this.lines = new EventReader(summary.run());
            this.linesLeft = linesLeft;
        }

        void add(Fields line) {
            RunEvent event = lines.read(line);
            if (event != null) {
                events.merge(event.seq(), event, Gathered::fuller);
            }
        }

        /** Of the same event twice the one that is whole: a step's end takes over what is known of its start. */
        private static RunEvent fuller(RunEvent known, RunEvent again) {
            return again instanceof StepEnded end
                            && !end.started().observation().isEmpty()
                    ? again
                    : known;
        }

        void handOverTo(Journal.RunReader reader) {
            reader.read(summary, List.copyOf(events.values()));
        }
    }
}
