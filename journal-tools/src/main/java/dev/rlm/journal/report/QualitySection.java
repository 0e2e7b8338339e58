package dev.rlm.journal.report;

import dev.rlm.journal.report.RewardFigures.Component;
import dev.rlm.journal.report.RewardFigures.ComponentKey;
import dev.rlm.sinks.schema.statistics.Estimate;
import java.util.ArrayList;
import java.util.List;

/** How good the runs are: solved, rewards, several attempts, and what rewards are made of. */
record QualitySection(Report report) {
    void print(Sheet sheet) {
        rewards(sheet);
        attempts(sheet);
        components(sheet);
    }

    private void rewards(Sheet sheet) {
        Grid grid = new Grid(
                        report.rowTitles(),
                        "solved",
                        "of runs",
                        "solved rate",
                        "mean reward",
                        "of runs",
                        "min",
                        "max",
                        "absent rewards")
                .leaveOut("min", "max", "of runs", "of runs", "absent rewards", "solved");
        report.eachRow((key, row) -> grid.row(
                key,
                Numbers.of(row.passes().solved()),
                Numbers.of(row.passes().rate().count()),
                Numbers.of(row.passes().rate()),
                Numbers.of(row.rewards().mean()),
                Numbers.of(row.rewards().mean().count()),
                Numbers.of(row.rewards().min()),
                Numbers.of(row.rewards().max()),
                Numbers.of(row.rewards().absent())));
        sheet.heading("Solved runs and rewards");
        sheet.grid(grid);
        Notes.quality(report).forEach(sheet::line);
    }

    private void attempts(Sheet sheet) {
        Grid grid = new Grid(report.rowTitles(), "k", "pass@k", "pass^k", "groups", "samples")
                .leaveOut("samples", "groups");
        report.eachRow((key, row) -> report.ks().forEach(k -> attempts(grid, key, row, k)));
        sheet.heading("Several attempts");
        sheet.grid(grid);
        sheet.line("pass@k: at least one of k attempts is solved; pass^k: all are;"
                + " a group is the runs of a sample by one policy, and counts where it has k runs or more");
        long largest = report.here().all().passes().groups().largest();
        report.ks().stream()
                .filter(k -> k > largest)
                .forEach(k -> sheet.line("k=" + k + ": no group has so many runs; the largest has " + largest));
    }

    private static void attempts(Grid grid, List<String> key, RowFigures row, int k) {
        Estimate any = row.passes().groups().anyOf(k);
        grid.row(
                key,
                Numbers.of(k),
                Numbers.of(any),
                Numbers.of(row.passes().groups().allOf(k)),
                Numbers.of(any.count()),
                Numbers.of(any.clusters()));
    }

    private void components(Sheet sheet) {
        List<String> titles = with(report.rowTitles(), "component", "unit");
        Grid grid = new Grid(titles, "given", "mean", "weight", "not finite").leaveOut("unit", "weight");
        report.eachRow((key, row) ->
                row.rewards().components().forEach((component, figures) -> component(grid, key, component, figures)));
        if (!grid.isEmpty()) {
            sheet.heading("Reward components");
            sheet.grid(grid);
            sheet.line("means are of the finite values given, before weighting");
        }
    }

    private static void component(Grid grid, List<String> key, ComponentKey component, Component figures) {
        String weight = Numbers.of(figures.minWeight());
        grid.row(
                with(key, component.name(), component.unit() == null ? "" : component.unit()),
                Numbers.of(figures.count()),
                Numbers.of(figures.mean()),
                figures.minWeight() == figures.maxWeight() ? weight : weight + " to " + Numbers.of(figures.maxWeight()),
                figures.notFinite() == 0 ? Numbers.NONE : Numbers.of(figures.notFinite()));
    }

    private static List<String> with(List<String> key, String... more) {
        List<String> all = new ArrayList<>(key);
        all.addAll(List.of(more));
        return all;
    }
}
