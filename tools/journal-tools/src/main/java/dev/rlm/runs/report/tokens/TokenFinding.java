package dev.rlm.runs.report.tokens;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.schema.EventField;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Result of one rule of the token audit. It keeps the first 100 runs that break the rule, each with its first 100 calls. */
final class TokenFinding {
    private static final int KEPT = 100;
    private static final int SHOWN = 5;

    private final TokenRule rule;
    private final Map<String, List<Long>> calls = new LinkedHashMap<>(); // their numbers, by run
    private final Map<String, Long> reasons = new TreeMap<>();
    private String lastRun = "";
    private long checked;
    private long found;
    private long runs;

    TokenFinding(TokenRule rule) {
        this.rule = rule;
    }

    /** Counts a call that the rule applies to. */
    void check() {
        checked++;
    }

    /**
     * Counts one of these that breaks it. The calls of a run come one after another.
     *
     * @param reason empty where there is but one
     */
    void find(String run, long call, String reason) {
        found++;
        if (!reason.isEmpty()) {
            reasons.merge(reason, 1L, Long::sum);
        }
        if (!run.equals(lastRun)) {
            lastRun = run;
            runs++;
        }
        if (calls.size() < KEPT || calls.containsKey(run)) {
            List<Long> kept = calls.computeIfAbsent(run, unknown -> new ArrayList<>());
            if (kept.size() < KEPT) {
                kept.add(call);
            }
        }
    }

    /** Returns it as a row of a table. */
    NamedFigures row() {
        return name().put("found", found, checked == 0 ? Numbers.NONE : String.valueOf(found))
                .put("checked", checked, Numbers.unlessZero(checked))
                .put("runs", runs, checked == 0 ? Numbers.NONE : String.valueOf(runs));
    }

    private NamedFigures name() {
        String name = EventField.word(rule);
        return new NamedFigures()
                .put("rule", name, name.replace('_', ' '))
                .put("verdict", checked == 0 ? "cannot be told" : found == 0 ? "ok" : "found");
    }

    /** Returns it as programs read it. */
    NamedFigures fields() {
        NamedFigures why = new NamedFigures();
        reasons.forEach(why::put);
        return name().put(
                        "figures",
                        new NamedFigures()
                                .put("found", found)
                                .put("checked", checked)
                                .put("runs", runs)
                                .put("reasons", why))
                .put(
                        "runs",
                        calls.entrySet().stream()
                                .map(run -> new NamedFigures()
                                        .put("run_id", run.getKey())
                                        .put("calls", run.getValue())));
    }

    /** Returns lines that say where the rule is broken, and why; none where it is not. */
    Stream<String> lines() {
        if (found == 0) {
            return Stream.empty();
        }
        String why = reasons.entrySet().stream()
                .map(reason -> reason.getValue() + " " + reason.getKey().replace('_', ' '))
                .collect(Collectors.joining(", "));
        String where = calls.entrySet().stream()
                .limit(SHOWN)
                .map(run -> run.getKey() + " calls "
                        + run.getValue().stream()
                                .limit(SHOWN)
                                .map(String::valueOf)
                                .collect(Collectors.joining(", "))
                        + (run.getValue().size() > SHOWN ? ", …" : ""))
                .collect(Collectors.joining("; "));
        return Stream.of(EventField.word(rule).replace('_', ' ') + ": " + (why.isEmpty() ? "" : why + ": ") + where
                + (runs > SHOWN ? " … (" + (runs - SHOWN) + " more runs)" : ""));
    }
}
