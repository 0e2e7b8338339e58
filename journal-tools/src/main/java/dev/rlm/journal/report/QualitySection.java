package dev.rlm.journal.report;

import dev.rlm.journal.report.RewardFigures.Component;
import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.statistics.Estimate;
import dev.rlm.sinks.schema.statistics.Groups;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** How good the runs are: solved, rewards, several attempts, and what rewards are made of. */
record QualitySection(Report report) {
    void print(Sheet sheet) {
        rewards(sheet);
        attempts(sheet);
        components(sheet);
    }

    private void rewards(Sheet sheet) {
        Grid<RowFigures> grid = new Grid<RowFigures>(report.titles())
                .column("solved", row -> row.runs().solved())
                .column("of runs", row -> row.runs().decided())
                .column("solved rate", RowFigures::solvedRate)
                .column("mean reward", RowFigures::meanReward)
                .column("of runs", row -> row.meanReward().count())
                .column("min", RowFigures::minReward)
                .column("max", RowFigures::maxReward)
                .column("absent rewards", row -> row.count(Count.ABSENT_REWARDS))
                .leaveOut("min", "max", "of runs", "of runs", "absent rewards", "solved");
        report.eachRow(grid::row);
        sheet.heading("Solved runs and rewards");
        sheet.grid(grid);
        Notes.quality(report).forEach(sheet::line);
    }

    private void attempts(Sheet sheet) {
        Grid<Attempts> grid = new Grid<Attempts>(report.titles())
                .column("k", Attempts::k)
                .column("pass@k", Attempts::any)
                .column("pass^k", row -> row.groups.allOf(row.k))
                .column("groups", row -> row.any().count())
                .column("samples", row -> row.any().clusters())
                .leaveOut("samples", "groups");
        report.eachRow((names, row) -> report.ks().forEach(k -> grid.row(names, new Attempts(row.groups(), k))));
        sheet.heading("Several attempts");
        sheet.grid(grid);
        sheet.line("pass@k: at least one of k attempts is solved; pass^k: all are;"
                + " a group is the runs of a sample by one policy, and counts where it has k runs or more");
        long largest = report.here().all().groups().largest();
        report.ks().stream()
                .filter(k -> k > largest)
                .forEach(k -> sheet.line("k=" + k + ": no group has so many runs; the largest has " + largest));
    }

    private record Attempts(Groups<GroupKey> groups, int k) {
        Estimate any() {
            return groups.anyOf(k);
        }
    }

    private void components(Sheet sheet) {
        Grid<Component> grid = new Grid<Component>(report.titles("component", "unit"))
                .column("given", Component::count)
                .column("mean", Component::mean)
                .column("weight", QualitySection::weight)
                .column("not finite", component -> Numbers.unlessZero(component.notFinite()))
                .leaveOut("unit", "weight");
        report.eachRow((names, row) -> row.rewards()
                .components()
                .forEach((key, component) ->
                        grid.row(with(names, key.name(), Objects.requireNonNullElse(key.unit(), "")), component)));
        if (!grid.isEmpty()) {
            sheet.heading("Reward components");
            sheet.grid(grid);
            sheet.line("means are of the finite values given, before weighting");
        }
    }

    private static String weight(Component component) {
        String least = Numbers.of(component.minWeight());
        return component.minWeight() == component.maxWeight()
                ? least
                : least + " to " + Numbers.of(component.maxWeight());
    }

    private static List<String> with(List<String> names, String... more) {
        return Stream.concat(names.stream(), Stream.of(more)).toList();
    }
}
