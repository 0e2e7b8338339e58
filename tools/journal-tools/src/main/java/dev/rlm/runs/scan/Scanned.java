package dev.rlm.runs.scan;

import dev.rlm.cli.recorded.Scores;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.RewardVersion;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A run that rules have looked at.
 *
 * @param events its end and its rewards
 * @param findings in the order of the rules
 */
record Scanned(RunSummary summary, List<RunEvent> events, List<ScanFinding> findings) {
    /** Has the rules look at a run. */
    static Scanned of(RunSummary summary, List<RunEvent> events, List<ScanRule> rules) {
        ScannedRun run = ScannedRun.of(events, !summary.isIncomplete());
        List<ScanFinding> findings = run == null
                ? List.of()
                : rules.stream()
                        .map(rule -> finding(summary, rule, run))
                        .filter(Objects::nonNull)
                        .toList();
        return new Scanned(
                summary,
                events.stream()
                        .filter(event -> event instanceof RunEnded || event instanceof RewardGiven)
                        .toList(),
                findings);
    }

    private static @Nullable ScanFinding finding(RunSummary summary, ScanRule rule, ScannedRun run) {
        List<Citation> places = rule.look(run);
        return places.isEmpty() ? null : ScanFinding.of(summary, rule, places);
    }

    /** Returns the labels of what was found and is not kept yet. */
    Map<RewardVersion, Reward> labels() {
        Map<RewardVersion, Reward> labels = new LinkedHashMap<>();
        if (!findings.isEmpty()) {
            Set<RewardVersion> known = Scores.of(summary.eventRows()).keySet();
            findings.stream()
                    .filter(finding -> !known.contains(finding.rule().score()))
                    .forEach(finding -> labels.put(finding.rule().score(), finding.label()));
        }
        return labels;
    }
}
