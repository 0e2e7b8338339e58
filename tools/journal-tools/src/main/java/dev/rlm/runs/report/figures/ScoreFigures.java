package dev.rlm.runs.report.figures;

import dev.rlm.journal.index.EventRow;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.schema.RewardVersion;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The second opinions of some runs, each version for itself. */
public final class ScoreFigures {
    private final Map<RewardVersion, Scores> versions =
            new TreeMap<>(Comparator.comparing(RewardVersion::name).thenComparing(RewardVersion::version));

    /** Adds one of a run; absent and infinite ones are in no figure. */
    void add(RewardVersion version, EventRow.Reward score) {
        if (Double.isFinite(score.value())) {
            Scores figures = versions.computeIfAbsent(version, key -> new Scores());
            figures.kind = score.kind() == null ? figures.kind : score.kind();
            figures.values.accept(score.value());
        }
    }

    /** The figures of each version, by name and version. */
    public Stream<NamedFigures> fields() {
        return versions.entrySet().stream()
                .map(each -> new NamedFigures()
                        .put("name", each.getKey().name())
                        .put("version", each.getKey().version())
                        .putAll(each.getValue().fields()));
    }

    /** Scores given under one version. */
    private static final class Scores {
        private final DoubleSummaryStatistics values = new DoubleSummaryStatistics();
        private RewardGiven.@Nullable Kind kind;

        NamedFigures fields() {
            return new NamedFigures()
                    .put("kind", kind == null ? null : kind.name().toLowerCase(Locale.ROOT))
                    .put("runs", values.getCount())
                    .put("mean", values.getAverage())
                    .put("min", values.getMin())
                    .put("max", values.getMax());
        }
    }
}
