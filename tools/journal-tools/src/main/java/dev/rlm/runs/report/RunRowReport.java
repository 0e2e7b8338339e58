package dev.rlm.runs.report;

import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.runs.NaturalOrder;
import dev.rlm.runs.report.figures.Dimension;
import dev.rlm.runs.report.figures.ResultFigures;
import dev.rlm.runs.report.figures.ResultSummary;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import dev.rlm.runs.report.sheets.TerminalSheet;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.LastAttempts;
import dev.rlm.sinks.schema.RunResult;
import dev.rlm.sinks.schema.statistics.PassEstimate;
import java.io.PrintWriter;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a report that rows of runs tell, without their events. Parts are made apart, of runs that have neither a sample nor a
 * rollout in common, and merged. Not thread-safe.
 */
public final class RunRowReport implements Serializable {
    private static final long serialVersionUID = 1;

    private final List<Dimension> by;
    private final List<Integer> asked;
    private ResultSummary all;
    private final HashMap<List<String>, ResultSummary> rows;
    private long superseded;

    private RunRowReport(
            List<Dimension> by,
            List<Integer> asked,
            ResultSummary all,
            Map<List<String>, ResultSummary> rows,
            long superseded) {
        this.by = by;
        this.asked = asked;
        this.all = all;
        this.rows = new HashMap<>(rows);
        this.superseded = superseded;
    }

    /** Adds the runs of another part. */
    public RunRowReport merge(RunRowReport other) {
        all = all.merge(other.all);
        other.rows.forEach((names, row) -> rows.merge(names, row, ResultSummary::merge));
        superseded += other.superseded;
        return this;
    }

    private List<Integer> ks() {
        return asked.isEmpty() ? PassEstimate.ks(all.largest()) : List.copyOf(new TreeSet<>(asked));
    }

    private Map<List<String>, ResultSummary> sorted() {
        Map<List<String>, ResultSummary> sorted = new TreeMap<>(NaturalOrder.LISTS);
        sorted.putAll(rows);
        return sorted;
    }

    /** Prints one JSON object, whose members are named and computed as those of {@code rlm report --json}. */
    public void printJson(PrintWriter out) {
        long counted = all.runs().runs();
        new NamedFigures()
                .put("chosen_runs", counted + superseded)
                .put("superseded_runs", superseded)
                .put("by", by.stream().map(Dimension::field))
                .put("all", json(all))
                .put(
                        "rows",
                        sorted().entrySet().stream()
                                .map(row -> Dimension.names(by, row.getKey()).putAll(json(row.getValue()))))
                .printJson(out);
    }

    private NamedFigures json(ResultSummary row) {
        return row.fields(Map.of()).put("pass", ks().stream().map(row::attempts));
    }

    /** Prints tables for a person. */
    public void print(PrintWriter out, Ink ink, int width) {
        Sheet sheet = new TerminalSheet(out, ink, width);
        long counted = all.runs().runs();
        sheet.line(Counted.of(counted, "run")
                + (superseded == 0 ? "" : ", and " + superseded + " superseded by later attempts"));
        List<String> names = by.stream().map(Dimension::field).toList();
        Grid runs = new Grid(
                        names.stream(),
                        "runs",
                        "completed",
                        "failed",
                        "aborted",
                        "abandoned",
                        "running",
                        "samples",
                        "steps")
                .leaveOut("samples", "running", "aborted", "steps", "abandoned", "failed");
        Grid quality = new Grid(
                        names.stream(),
                        "solved",
                        "of runs=solved_rate_runs",
                        "solved_rate",
                        "mean_reward",
                        "of runs=mean_reward_runs",
                        "min=min_reward",
                        "max=max_reward",
                        "duration_p50",
                        "p95=duration_p95")
                .leaveOut("min", "max", "p95", "of runs", "of runs", "solved");
        Grid attempts = new Grid(names.stream(), "k", "pass@k=pass_at_k", "pass^k=pass_hat_k", "groups", "samples")
                .leaveOut("samples", "groups");
        eachAndAll((key, row) -> {
            NamedFigures fields = row.fields(Map.of()).putAll(key);
            runs.row(fields);
            quality.row(fields);
            ks().forEach(k -> attempts.row(row.attempts(k).putAll(key)));
        });
        sheet.grid("Runs", runs);
        sheet.grid("Solved runs and rewards", quality);
        sheet.grid("Several attempts", attempts);
        sheet.finish();
    }

    private void eachAndAll(BiConsumer<NamedFigures, ResultSummary> consumer) {
        sorted().forEach((names, row) -> consumer.accept(Dimension.names(by, names), row));
        if (rows.size() != 1) {
            List<String> names = new ArrayList<>(Collections.nCopies(by.size(), ""));
            names.set(0, "all");
            consumer.accept(Dimension.names(by, names), all);
        }
    }

    /** A part that runs are added to. Keeps them until it is built, because a later one may supersede an earlier. */
    public static final class Builder implements Serializable {
        private static final long serialVersionUID = 1;

        private final List<Dimension> by;
        private final List<Integer> asked;
        private final boolean allAttempts;
        private transient @Nullable List<Run> runs;

        Builder(List<Dimension> by, List<Integer> asked, boolean allAttempts) {
            this.by = by;
            this.asked = asked;
            this.allAttempts = allAttempts;
        }

        /**
         * Adds a run.
         *
         * @param failure the class of the error that it failed by, else why it ended; {@code null} where it has not failed
         */
        public void add(RunInfo run, RunResult result, @Nullable String failure) {
            if (runs == null) {
                runs = new ArrayList<>();
            }
            runs.add(new Run(run, result, failure));
        }

        /** Returns the figures of the runs, but for those that a later attempt supersedes. */
        public RunRowReport build() {
            List<Run> added = runs == null ? List.of() : runs;
            runs = null;
            LastAttempts last = new LastAttempts();
            if (!allAttempts) {
                added.forEach(run -> last.add(run.info));
            }
            ResultFigures all = new ResultFigures();
            Map<List<String>, ResultFigures> rows = new HashMap<>();
            long superseded = 0;
            for (Run run : added) {
                if (last.isSuperseded(run.info)) {
                    superseded++;
                } else {
                    all.add(run.info, run.result);
                    List<String> names = by.stream()
                            .map(dimension -> dimension.of(run.info, run.failure))
                            .toList();
                    rows.computeIfAbsent(names, first -> new ResultFigures()).add(run.info, run.result);
                }
            }
            Map<List<String>, ResultSummary> summaries = new HashMap<>();
            rows.forEach((names, row) -> summaries.put(names, summary(row)));
            return new RunRowReport(by, asked, summary(all), summaries, superseded);
        }

        private ResultSummary summary(ResultFigures figures) {
            return figures.summary(
                    asked.isEmpty() ? PassEstimate.ks(figures.groups().largest()) : asked);
        }

        private record Run(
                RunInfo info, RunResult result, @Nullable String failure) {}
    }
}
