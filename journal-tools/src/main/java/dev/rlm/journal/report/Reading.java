package dev.rlm.journal.report;

import dev.rlm.journal.RunFilter;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.JournalException;
import dev.rlm.sinks.jsonl.RunSummary;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** One pass over a journal, in which one or two sides count their runs. */
final class Reading {
    private final Journal journal;
    private final boolean allAttempts;
    private final AtomicLong read;
    private final Set<String> superseded;
    private final List<Chosen<?>> sides = new ArrayList<>();

    /**
     * A reading that has not begun.
     *
     * @param allAttempts whether attempts count of which there is a later one
     * @param read is told of each run that has been read
     */
    Reading(Journal journal, boolean allAttempts, AtomicLong read) {
        this.journal = journal;
        this.allAttempts = allAttempts;
        this.read = read;
        this.superseded = Attempts.superseded(journal.runs());
    }

    /** Lets a side count the runs that fit; what came of it is to be asked for after {@link #run}. */
    <C extends RunCounter> Chosen<C> choose(C side, RunFilter filter) {
        List<RunSummary> fitting =
                journal.runs().stream().filter(filter::accepts).toList();
        List<RunSummary> counted = fitting.stream()
                .filter(run -> allAttempts || !superseded.contains(run.run().runId()))
                .toList();
        Chosen<C> chosen = new Chosen<>(side, counted, fitting.size());
        sides.add(chosen);
        return chosen;
    }

    /** How many runs two sides have in common. */
    static long common(Chosen<?> one, Chosen<?> other) {
        return one.ids.stream().filter(other.ids::contains).count();
    }

    /** Reads the runs of all sides. */
    void run() {
        List<RunSummary> runs =
                sides.stream().flatMap(side -> side.runs.stream()).toList();
        Set<Class<? extends RunEvent>> kinds =
                sides.stream().flatMap(side -> side.side.kinds().stream()).collect(Collectors.toSet());
        long damaged = journal.read(runs, kinds, this::count);
        sides.forEach(side -> side.damagedEvents = damaged);
    }

    private void count(RunSummary run, List<RunEvent> events) {
        if (Thread.currentThread().isInterrupted()) {
            throw new JournalException("the reading was interrupted");
        }
        RunFacts facts = new RunFacts(run, events);
        for (Chosen<?> side : sides) {
            if (side.ids.contains(run.run().runId())) {
                side.side.add(facts);
            }
        }
        read.incrementAndGet();
    }

    /** The runs of a side. */
    final class Chosen<C extends RunCounter> {
        private final C side;
        private final List<RunSummary> runs;
        private final Set<String> ids = new HashSet<>();
        private final int fitting;
        private long damagedEvents;

        private Chosen(C side, List<RunSummary> runs, int fitting) {
            this.side = side;
            this.runs = runs;
            this.fitting = fitting;
            runs.forEach(run -> ids.add(run.run().runId()));
        }

        C side() {
            return side;
        }

        int size() {
            return runs.size();
        }

        Report.Source source() {
            return new Report.Source(
                    journal.directory(),
                    journal.runs().size(),
                    fitting,
                    fitting - runs.size(),
                    journal.damagedLines(),
                    damagedEvents,
                    SinkLosses.of(journal));
        }
    }
}
