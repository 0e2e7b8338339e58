package dev.rlm.runs.report.figures;

import dev.rlm.journal.Journal;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.event.LedgerReported.SinkLedger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Losses of a sink, by the last ledger of each writer of the journal.
 *
 * @param offered how many events were meant for it in the processes in which it lost some
 * @param lost how many of them it lost, by reason
 * @param writers the names of those processes' folders
 */
public record SinkLosses(String sink, long offered, SortedMap<String, Long> lost, List<String> writers) {
    public SinkLosses {
        lost = new TreeMap<>(lost);
        writers = List.copyOf(writers);
    }

    /** By sink; those that have lost nothing are missing. */
    public static List<SinkLosses> of(Journal journal) {
        SortedMap<String, SinkLosses> all = new TreeMap<>();
        journal.ledgers()
                .forEach((writer, report) -> report.sinks().forEach((sink, account) -> {
                    SortedMap<String, Long> lost = ledger(account).losses();
                    if (!lost.isEmpty()) {
                        all.merge(
                                sink,
                                new SinkLosses(sink, account.offered(), lost, List.of(name(writer))),
                                SinkLosses::plus);
                    }
                }));
        return List.copyOf(all.values());
    }

    public static Ledger ledger(SinkLedger account) {
        return new Ledger(account.offered(), account.delivered(), account.dropped(), account.queued());
    }

    private static String name(Path writer) {
        return String.valueOf(writer.getFileName());
    }

    private SinkLosses plus(SinkLosses other) {
        SortedMap<String, Long> sum = new TreeMap<>(lost);
        other.lost.forEach((reason, count) -> sum.merge(reason, count, Long::sum));
        List<String> both = new ArrayList<>(writers);
        both.addAll(other.writers);
        return new SinkLosses(sink, offered + other.offered, sum, both);
    }

    public NamedFigures fields() {
        NamedFigures reasons = new NamedFigures();
        lost.forEach(reasons::put);
        return new NamedFigures()
                .put("sink", sink)
                .put("offered", offered)
                .put("lost", reasons)
                .put("writers", writers.stream());
    }

    /** For people, in one line. */
    public String note() {
        long count = lost.values().stream().mapToLong(Long::longValue).sum();
        String reasons = lost.entrySet().stream()
                .map((Map.Entry<String, Long> reason) -> reason.getKey() + " " + reason.getValue())
                .collect(Collectors.joining(", "));
        String where = writers.size() == 1
                ? "in writer " + writers.get(0)
                : "in " + writers.size() + " writers, the first " + writers.get(0);
        return "the journal's own ledger tells that sink '" + sink + "' lost " + count + " of " + offered + " events ("
                + reasons + ") " + where;
    }
}
