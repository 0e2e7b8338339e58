package dev.rlm.runs.scan;

import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Table;
import java.io.PrintWriter;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Counts of what a scan has found so far. Counted by one thread, while another looks on. */
final class ScanCounts {
    private final Map<ScanRule, Map<ScanRule.Voids, Integer>> rules =
            new EnumMap<>(ScanRule.class); // runs by what is void
    private long runsWithFindings;
    private long kept;
    private volatile long open; // runs that have not ended
    private volatile long done;
    private volatile long chosen = -1; // until that is known

    /** So many runs are to be looked at, and so many are not since they have not ended. */
    void begin(long runs, long notEnded) {
        open = notEnded;
        chosen = runs;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread; another looks on
    void add(List<ScanFinding> findings, int labels) {
        findings.forEach(finding -> rules.computeIfAbsent(finding.rule(), rule -> new EnumMap<>(ScanRule.Voids.class))
                .merge(finding.voids(), 1, Integer::sum));
        runsWithFindings += findings.isEmpty() ? 0 : 1;
        kept += labels;
        done++;
    }

    /** Returns the rules that have found something. */
    Set<ScanRule> found() {
        return rules.keySet();
    }

    /** Returns how far it has come, on a line. On any thread. */
    String progress() {
        return chosen < 0 ? "the journal is being read" : done + " of " + chosen + " runs have been scanned";
    }

    /** Prints a row for each rule that has found something. */
    void printTable(PrintWriter out, Ink ink) {
        if (!rules.isEmpty()) {
            Table table = new Table(List.of("rule", "runs", "voided successes", "voided failures"), Set.of(1, 2, 3));
            rules.forEach((rule, runs) -> table.row(
                    rule.label(),
                    String.valueOf(
                            runs.values().stream().mapToInt(Integer::intValue).sum()),
                    String.valueOf(runs.getOrDefault(ScanRule.Voids.SUCCESS, 0)),
                    String.valueOf(runs.getOrDefault(ScanRule.Voids.FAILURE, 0))));
            table.print(out, ink);
        }
    }

    /** Returns all of it, on a line. */
    String text(boolean keeps) {
        return String.format(Locale.ROOT, "%,d of %,d runs have findings", runsWithFindings, done)
                + (open == 0 ? "" : String.format(Locale.ROOT, "; left out %,d that have not ended", open))
                + (keeps ? String.format(Locale.ROOT, "; kept %,d new labels", kept) : "");
    }
}
