package dev.rlm.runs.report;

import dev.rlm.cli.terminal.Counted;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.WriterStatus;
import dev.rlm.runs.report.figures.SinkLosses;
import dev.rlm.runs.report.results.Notes;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.LedgerReported.SinkLedger;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Completeness of a journal: whether each run has all its events, every line can be read, and no writer lost any or was killed before it
 * could tell.
 *
 * @param runs how many there are
 * @param events how many of them are there, of those that the runs' numbers and ends tell of
 * @param others how many events are there of no run: numbers of training and spans
 * @param incomplete the runs that lack some
 * @param hiddenEvents how many no reader shows, since another has their number
 * @param damagedLines lines that cannot be read
 * @param writers of the journal
 */
record RecordCheck(
        long runs,
        long events,
        long others,
        List<IncompleteRun> incomplete,
        long hiddenEvents,
        long damagedLines,
        List<WriterStatus> writers) {
    /** Verdict on the whole journal. */
    enum Verdict {
        COMPLETE,
        INCOMPLETE,
        /** No loss is known of, but writers ended without telling. */
        UNKNOWN
    }

    /**
     * A run that lacks events.
     *
     * @param events how many are there
     * @param missing numbers of those that are missing, from and to
     * @param withoutEnd whether its end is missing too, and with it the number of its last event
     */
    record IncompleteRun(String runId, long events, List<Gap> missing, boolean withoutEnd) {
        long missingEvents() {
            return missing.stream().mapToLong(gap -> gap.to() - gap.from() + 1).sum();
        }
    }

    /** Numbers of events that are missing, both included. */
    record Gap(long from, long to) {}

    static RecordCheck of(Journal journal) {
        List<WriterStatus> writers = journal.writers();
        Set<Path> killed = writers.stream()
                .filter(writer -> writer.state() == WriterStatus.State.KILLED)
                .map(WriterStatus::folder)
                .collect(Collectors.toSet());
        List<RunSummary> doubtful = new ArrayList<>();
        long[] events = {0};
        long hidden = 0;
        for (RunSummary run : journal.withParts(journal.runs())) {
            hidden += run.hiddenEvents();
            if (run.row().end() == null || run.isIncomplete()) {
                doubtful.add(run);
            } else {
                events[0] += run.events();
            }
        }
        List<IncompleteRun> incomplete = new ArrayList<>();
        journal.read(doubtful, (run, all) -> {
            IncompleteRun checked = check(run, all, killed);
            events[0] += checked.events();
            if (!checked.missing().isEmpty() || checked.withoutEnd()) {
                incomplete.add(checked);
            }
        });
        incomplete.sort(Comparator.comparing(IncompleteRun::runId));
        long others = (long) journal.metrics().size() + journal.spans().size();
        return new RecordCheck(
                journal.runs().size(), events[0], others, incomplete, hidden, journal.damagedLines(), writers);
    }

    private static IncompleteRun check(RunSummary run, List<RunEvent> events, Set<Path> killed) {
        RunEnded end = run.row().end();
        TreeSet<Long> seen = new TreeSet<>();
        events.stream()
                .map(RunEvent::seq)
                .filter(seq -> end == null || seq <= end.seq())
                .forEach(seen::add);
        if (end != null) {
            seen.add(end.seq());
        }
        List<Gap> gaps = new ArrayList<>();
        long next = 1;
        for (long seq : seen) {
            if (seq > next) {
                gaps.add(new Gap(next, seq - 1));
            }
            next = seq + 1;
        }
        return new IncompleteRun(run.runId(), seen.size(), gaps, lacksEnd(run, killed));
    }

    /** Returns whether a run has no end though its writer had the time to write one. */
    private static boolean lacksEnd(RunSummary run, Set<Path> killed) {
        return run.state() == RunState.UNFINISHED && run.writers().stream().noneMatch(killed::contains);
    }

    /** Returns how many events the runs lack, as far as their numbers tell. */
    long missingEvents() {
        return incomplete.stream().mapToLong(IncompleteRun::missingEvents).sum();
    }

    /** Returns how many events did not get into the journal, by reason, as the last ledgers tell. */
    SortedMap<String, Long> lost() {
        SortedMap<String, Long> lost = new TreeMap<>();
        for (WriterStatus writer : writers) {
            losses(writer).forEach((reason, count) -> lost.merge(reason, count, Long::sum));
        }
        return lost;
    }

    private static SortedMap<String, Long> losses(WriterStatus writer) {
        SinkLedger account = writer.account();
        return account == null ? new TreeMap<>() : SinkLosses.ledger(account).losses();
    }

    private List<WriterStatus> silent() {
        return writers.stream().filter(RecordCheck::isSilent).toList();
    }

    /** Returns whether a writer is gone and has not told what it lost at its end. */
    private static boolean isSilent(WriterStatus writer) {
        return writer.state() == WriterStatus.State.KILLED
                || (writer.state() == WriterStatus.State.CLOSED && writer.account() == null);
    }

    Verdict verdict() {
        if (!incomplete.isEmpty() || hiddenEvents > 0 || damagedLines > 0 || !lost().isEmpty()) {
            return Verdict.INCOMPLETE;
        }
        return silent().isEmpty() ? Verdict.COMPLETE : Verdict.UNKNOWN;
    }

    /** Returns the verdict and what it rests on, for people, in one line. */
    String statement() {
        List<String> parts = new ArrayList<>();
        long missing = missingEvents();
        if (missing > 0) {
            long runsThatLack =
                    incomplete.stream().filter(run -> run.missingEvents() > 0).count();
            parts.add(
                    Counted.of(missing, "event", "events") + " missing in " + Counted.of(runsThatLack, "run", "runs"));
        }
        long endless = incomplete.stream().filter(IncompleteRun::withoutEnd).count();
        parts.addAll(Notes.note(endless, "run", "runs", " without an end"));
        parts.addAll(Notes.note(hiddenEvents, "event", "events", " that no reader shows: another has the same number"));
        parts.addAll(Notes.note(damagedLines, "damaged line", "damaged lines", ""));
        lost().forEach((reason, count) -> parts.add(count + " lost by the journal (" + reason + ")"));
        List<WriterStatus> silent = silent();
        if (!silent.isEmpty()) {
            parts.add("nothing said about losses: " + silence(silent));
        }
        return parts.isEmpty()
                ? String.format(Locale.ROOT, "complete: %,d of %,d events of runs", events, events)
                        + (others == 0 ? "" : String.format(Locale.ROOT, ", and %,d of no run", others))
                : String.join(", ", parts);
    }

    private static String silence(List<WriterStatus> silent) {
        if (silent.size() > 1) {
            return silent.size() + " writers were killed or told no ledger";
        }
        LedgerReported ledger = silent.get(0).ledger();
        String how = silent.get(0).state() == WriterStatus.State.KILLED ? " was killed, " : " ended well, ";
        return "writer " + name(silent.get(0)) + how
                + (ledger == null ? "no ledger" : "the last ledger of " + seconds(ledger.time()));
    }

    static String name(WriterStatus writer) {
        return String.valueOf(writer.folder().getFileName());
    }

    static String state(WriterStatus writer) {
        return writer.state().name().toLowerCase(Locale.ROOT);
    }

    private static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Returns everything as programs read it, with so many of the incomplete runs. */
    NamedFigures fields(String journal, int most) {
        NamedFigures lost = new NamedFigures();
        lost().forEach(lost::put);
        return new NamedFigures()
                .put("journal", journal)
                .put("record", verdict().name().toLowerCase(Locale.ROOT))
                .put("statement", statement())
                .put("runs", runs)
                .put("events", events)
                .put("other_events", others)
                .put("missing_events", missingEvents())
                .put("hidden_events", hiddenEvents)
                .put("damaged_lines", damagedLines)
                .put("lost", lost)
                .put("incomplete_runs", (long) incomplete.size())
                .put("incomplete", incomplete.stream().limit(most).map(RecordCheck::fields))
                .put("writers", writers.stream().map(RecordCheck::fields));
    }

    private static NamedFigures fields(IncompleteRun run) {
        return new NamedFigures()
                .put("run_id", run.runId())
                .put("events", run.events())
                .put("missing_events", run.missingEvents())
                .put(
                        "missing",
                        run.missing().stream()
                                .map(gap -> new NamedFigures()
                                        .put("from", gap.from())
                                        .put("to", gap.to())))
                .put("without_end", run.withoutEnd());
    }

    private static NamedFigures fields(WriterStatus writer) {
        SinkLedger account = writer.account();
        NamedFigures lost = new NamedFigures();
        losses(writer).forEach(lost::put);
        return new NamedFigures()
                .put("writer", name(writer))
                .put("state", state(writer))
                .put("ledger_at", time(writer.ledger()))
                .put("offered", account == null ? null : account.offered())
                .put("delivered", account == null ? null : account.delivered())
                .put("lost", lost);
    }

    private static @Nullable String time(@Nullable LedgerReported ledger) {
        return ledger == null ? null : ledger.time().toString();
    }

    /** Returns the numbers that a run lacks, for people. */
    static String gaps(IncompleteRun run) {
        List<String> parts = new ArrayList<>();
        run.missing().forEach(gap -> parts.add(gap.from() == gap.to() ? "" + gap.from() : gap.from() + "–" + gap.to()));
        if (run.withoutEnd()) {
            parts.add("the end");
        }
        return String.join(", ", parts);
    }
}
