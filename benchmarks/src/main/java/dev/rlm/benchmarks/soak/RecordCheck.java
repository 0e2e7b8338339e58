package dev.rlm.benchmarks.soak;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads a journal back and finds what is missing of the given runs: of each, all events up to its end. */
final class RecordCheck {
    private final Set<String> missing;
    private final List<String> complaints = new ArrayList<>();

    private RecordCheck(List<String> runIds) {
        missing = new HashSet<>(runIds);
    }

    static List<String> complaints(Path folder, List<String> runIds) {
        Journal journal = Journal.open(folder);
        RecordCheck check = new RecordCheck(runIds);
        List<RunSummary> chosen = journal.runs().stream()
                .filter(run -> check.missing.contains(run.run().runId()))
                .toList();
        long damaged = journal.read(chosen, check::check);
        if (damaged > 0) {
            check.complaints.add("the journal has " + damaged + " damaged lines");
        }
        if (!check.missing.isEmpty()) {
            check.complaints.add(check.missing.size() + " of the last " + runIds.size()
                    + " runs are not in the journal, such as "
                    + check.missing.iterator().next());
        }
        return check.complaints;
    }

    private void check(RunSummary run, List<RunEvent> events) {
        missing.remove(run.run().runId());
        RunEnded end = run.end();
        long emitted = end == null ? -1 : end.seq();
        long there = events.stream().filter(event -> event.seq() <= emitted).count();
        if (there != emitted) {
            complaints.add("run " + run.run().runId() + " emitted " + emitted + " events, the journal has " + there);
        }
    }
}
