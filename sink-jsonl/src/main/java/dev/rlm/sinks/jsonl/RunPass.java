package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.segment.Segment;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** One reading of a journal's lines, which gathers the events of the chosen runs and hands each run over once it is whole. */
final class RunPass implements WriterLines.Reader {
    private final Map<String, Gathered> waiting = new LinkedHashMap<>();
    private final Map<String, Place> last;
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
        this.last = last;
        chosen.forEach(run -> waiting.put(run.run().runId(), new Gathered(run)));
    }

    @Override
    public boolean wants(String type) {
        return types.contains(type);
    }

    @Override
    public void line(Segment segment, LineBlock.Line line) {
        Gathered run = wants(line.head().type()) ? waiting.get(line.head().runId()) : null;
        if (run != null) {
            run.add(line.read());
        }
    }

    @Override
    public void passed(LineBlock.Line line) {
        String runId = line.head().runId();
        if (line.isAt(last.get(runId))) {
            Gathered run = waiting.remove(runId);
            if (run != null) {
                run.handOverTo(reader);
            }
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
        private final RunEvents events = new RunEvents();

        Gathered(RunSummary summary) {
            this.summary = summary;
            this.lines = new EventReader(summary.run());
        }

        void add(Fields line) {
            RunEvent event = lines.read(line);
            if (event != null) {
                events.add(event);
            }
        }

        void handOverTo(Journal.RunReader reader) {
            reader.read(summary, events.all());
        }
    }
}
