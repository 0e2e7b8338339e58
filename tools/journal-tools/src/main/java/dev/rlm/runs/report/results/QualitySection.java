package dev.rlm.runs.report.results;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.runs.report.figures.RowFigures;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.statistics.Group;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Section on the quality of the runs: solved runs and rewards, several attempts, reward components, and later scores.
 *
 * @param rows the figures of each row, with its names
 */
record QualitySection(Report report, List<NamedFigures> rows) {
    private static final int SHOWN = 5;

    void print(Sheet sheet) {
        rewards(sheet);
        attempts(sheet);
        components(sheet);
        scores(sheet);
    }

    private void rewards(Sheet sheet) {
        Grid grid = new Grid(
                        report.names(),
                        "solved",
                        "of runs=solved_rate_runs",
                        "solved_rate",
                        "mean_reward",
                        "of runs=mean_reward_runs",
                        "min=min_reward",
                        "max=max_reward",
                        "absent_rewards")
                .leaveOut("min", "max", "of runs", "of runs", "absent rewards", "solved");
        rows.forEach(grid::row);
        sheet.grid("Solved runs and rewards", grid);
        Notes.quality(report).forEach(sheet::line);
    }

    private void attempts(Sheet sheet) {
        Grid grid = new Grid(report.names(), "k", "pass@k=pass_at_k", "pass^k=pass_hat_k", "groups", "samples")
                .leaveOut("samples", "groups");
        report.here()
                .rows()
                .eachAndAll((names, row) ->
                        report.ks().forEach(k -> grid.row(row.attempts(k).putAll(names))));
        sheet.grid("Several attempts", grid);
        sheet.line("pass@k: at least one of k attempts is solved; pass^k: all are;"
                + " a group is the runs of a sample by one policy, and counts where it has k runs or more");
        long largest = report.here().all().groups().largest();
        report.ks().stream()
                .filter(k -> k > largest)
                .forEach(k -> sheet.line("k=" + k + ": no group has so many runs; the largest has " + largest));
    }

    private void components(Sheet sheet) {
        Grid grid = new Grid(
                        report.names("source", "component=name", "unit"),
                        "given",
                        "mean",
                        "weight=min_weight",
                        "not_finite")
                .leaveOut("unit", "weight", "source");
        report.here()
                .rows()
                .eachAndAll((names, row) ->
                        row.rewards().components().forEach(component -> grid.row(component.putAll(names))));
        if (!grid.isEmpty()) {
            sheet.grid("Reward components", grid);
            sheet.line("means are of the finite values given, before weighting");
        }
    }

    private void scores(Sheet sheet) {
        Grid grid = new Grid(report.names("score=name", "version", "kind"), "runs", "mean", "min", "max")
                .leaveOut("max", "min", "kind");
        report.here()
                .rows()
                .eachAndAll((names, row) -> row.scores().fields().forEach(score -> grid.row(score.putAll(names))));
        if (!grid.isEmpty()) {
            sheet.grid("Scores of recorded runs", grid);
            sheet.line(
                    "given after the runs' ends (rlm rescore, rlm label, rlm scan); they are in no total, and decide nothing");
        }
    }

    /** Groups in which all attempts have the same reward: there is nothing to learn from what they differ in. */
    void signal(Sheet sheet) {
        RowFigures all = report.here().all();
        List<Map.Entry<GroupKey, Group>> flat = all.groupsWithoutSignal();
        sheet.line("groups without learning signal (all rewards the same): " + flat.size() + " of "
                + all.groups().comparable() + " with two usable rewards or more" + rewards(flat));
        if (!flat.isEmpty()) {
            String more = flat.size() > SHOWN ? " … (" + (flat.size() - SHOWN) + " more; --json lists all)" : "";
            sheet.line("such as "
                    + flat.stream()
                            .limit(SHOWN)
                            .map(entry -> name(entry.getKey()))
                            .collect(Collectors.joining("; ")) + more);
        }
    }

    /** The usual rewards, by how many groups have them. */
    private static String rewards(List<Map.Entry<GroupKey, Group>> flat) {
        Map<String, Long> counts = flat.stream()
                .collect(Collectors.groupingBy(
                        entry -> Numbers.of(entry.getValue().reward()), Collectors.counting()));
        return counts.isEmpty()
                ? ""
                : counts.entrySet().stream()
                        .sorted(Map.Entry.<String, Long>comparingByValue()
                                .reversed()
                                .thenComparing(Map.Entry.comparingByKey()))
                        .limit(SHOWN)
                        .map(entry -> entry.getValue() + " at " + entry.getKey())
                        .collect(Collectors.joining(", ", ": ", counts.size() > SHOWN ? ", …" : ""));
    }

    private static String name(GroupKey key) {
        return Stream.of(
                        part("", key.sample().sample()),
                        part("", key.model()),
                        part("policy ", key.policyVersion()),
                        part("epoch ", key.epoch()),
                        part("step ", key.trainStep()))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(" "));
    }

    private static String part(String kind, @Nullable Object value) {
        return value == null || value.toString().isEmpty() ? "" : kind + value;
    }
}
