package dev.rlm.runs.report;

import dev.rlm.cli.RunFilter;
import dev.rlm.cli.recorded.LimitOption;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.index.EventRow;
import dev.rlm.runs.report.figures.PassRule;
import dev.rlm.runs.report.figures.RunCounter;
import dev.rlm.runs.report.figures.RunFacts;
import dev.rlm.runs.report.figures.SinkLosses;
import dev.rlm.runs.report.results.Report;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.LastAttempts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/** One pass over a journal, in which one or two sides count their runs. */
final class Reading {
    private final Journal journal;
    private final boolean allAttempts;
    private final PassRule rule;
    private final Set<Class<? extends RunEvent>> kinds;
    private final LimitOption limit;
    private final AtomicLong read;
    private final Set<String> superseded;
    private final List<Chosen<?>> sides = new ArrayList<>();

    /**
     * A reading that has not begun.
     *
     * @param allAttempts whether attempts count of which there is a later one
     * @param kinds which events are needed of a run; none where the index tells all
     * @param limit how many of the runs that fit are taken
     * @param read is told of each run that has been read
     */
    Reading(
            Journal journal,
            boolean allAttempts,
            PassRule rule,
            Set<Class<? extends RunEvent>> kinds,
            LimitOption limit,
            AtomicLong read) {
        this.journal = journal;
        this.allAttempts = allAttempts;
        this.rule = rule;
        this.kinds = kinds;
        this.limit = limit;
        this.read = read;
        this.superseded = superseded(journal.runs());
    }

    /** The ids of the runs of which there is a later attempt. Runs that do not tell their attempt are none of them. */
    private static Set<String> superseded(Collection<RunSummary> runs) {
        LastAttempts last = new LastAttempts();
        runs.stream()
                .filter(run -> run.attempt() > 1) // so that most rows are read once
                .forEach(run -> last.add(run.row().run()));
        return last.isEmpty()
                ? Set.of()
                : runs.stream()
                        .filter(run -> last.isSuperseded(run.row().run()))
                        .map(RunSummary::runId)
                        .collect(Collectors.toSet());
    }

    /** Lets a side count the runs that fit; what came of it is to be asked for after {@link #run}. */
    <C extends RunCounter> Chosen<C> choose(C side, RunFilter filter) {
        return chooseFor(runs -> side, filter);
    }

    /** Does the same with a side that the function makes for the runs that fit, earlier attempts included. */
    <C extends RunCounter> Chosen<C> chooseFor(Function<List<RunSummary>, C> side, RunFilter filter) {
        List<RunSummary> fitting = limit.latest(journal, filter);
        List<RunSummary> counted = fitting.stream()
                .filter(run -> allAttempts || !superseded.contains(run.runId()))
                .toList();
        Chosen<C> chosen = new Chosen<>(side.apply(fitting), counted, fitting.size());
        sides.add(chosen);
        return chosen;
    }

    /** Returns how many runs two sides have in common. */
    static long common(Chosen<?> one, Chosen<?> other) {
        return one.ids.stream().filter(other.ids::contains).count();
    }

    /** Reads the runs of all sides. */
    void run() {
        List<RunSummary> runs =
                sides.stream().flatMap(side -> side.runs.stream()).toList();
        if (kinds.isEmpty()) {
            runs.forEach(run -> count(run, run.eventRows(), List.of()));
        } else {
            long damaged = journal.read(runs, kinds, (run, events) -> count(run, List.of(), events));
            sides.forEach(side -> side.damagedEvents = damaged);
        }
    }

    private void count(RunSummary run, Collection<EventRow> rows, List<RunEvent> events) {
        if (Thread.currentThread().isInterrupted()) {
            throw new JournalException("the reading was interrupted");
        }
        RunFacts facts = RunFacts.of(run, rows, events, rule);
        long unreadable = facts.all(EventRow.Unreadable.class).size();
        for (Chosen<?> side : sides) {
            if (side.ids.contains(run.runId())) {
                side.side.add(facts);
                side.damagedEvents += unreadable;
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
            runs.forEach(run -> ids.add(run.runId()));
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
