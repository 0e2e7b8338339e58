package dev.rlm.runner.job;

import static dev.rlm.runner.job.SummaryText.number;

import dev.rlm.sinks.schema.statistics.Groups;
import java.util.function.BiConsumer;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;

/** Shows in a few lines what groups came to, however many there are. Groups of one run each say nothing more than the runs. */
record GroupsText(Groups<RunGroups.Name> groups) {
    /** Gives the lines, each with what stands before it. */
    void print(BiConsumer<String, String> line) {
        if (groups.largest() < 2) {
            return;
        }
        line.accept(
                "groups",
                groups.all().size() + " of up to " + groups.largest() + " runs: rewards within a group spread by "
                        + number(groups.spread()) + " (mean standard deviation), "
                        + groups.flat().count() + " of "
                        + groups.comparable() + " without learning signal (all rewards the same)");
        line.accept("", forEachK("pass@", k -> groups.anyOf(k).value()));
        line.accept("", forEachK("pass^", k -> groups.allOf(k).value()));
    }

    private String forEachK(String name, IntToDoubleFunction estimate) {
        return groups.ks().stream()
                .map(k -> name + k + " " + number(estimate.applyAsDouble(k)))
                .collect(Collectors.joining("  "));
    }
}
