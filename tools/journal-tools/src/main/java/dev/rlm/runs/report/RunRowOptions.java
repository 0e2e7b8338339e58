package dev.rlm.runs.report;

import dev.rlm.cli.UsageException;
import dev.rlm.runs.report.figures.Dimension;
import dev.rlm.runs.report.figures.WordConverter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Options that say which figures a {@link RunRowReport} gives. */
public final class RunRowOptions {
    @Option(
            names = "--by",
            paramLabel = "WHAT",
            split = ",",
            converter = Converter.class,
            description =
                    "A row for each environment, model, sample, split, experiment, epoch, train-step, policy-version,"
                            + " trajectory-index or failure; may be given again (environment and model).")
    private List<Dimension> by = new ArrayList<>();

    @Option(names = "--k", paramLabel = "N", split = ",", description = "For which k to give pass@k and pass^k.")
    private List<Integer> attempts = new ArrayList<>();

    @Option(names = "--all-attempts", description = "Count every attempt at a rollout, and not only its last.")
    private boolean allAttempts;

    /**
     * Returns the report of no runs yet.
     *
     * @throws UsageException if they are not valid
     */
    public RunRowReport.Builder report() {
        String wrong = FigureOptions.wrong(attempts);
        if (wrong != null) {
            throw new UsageException(wrong);
        }
        List<Dimension> dimensions =
                by.isEmpty() ? List.of(Dimension.ENVIRONMENT, Dimension.MODEL) : List.copyOf(new LinkedHashSet<>(by));
        return new RunRowReport.Builder(dimensions, List.copyOf(attempts), allAttempts);
    }

    /** Reads a dimension that the row of a run tells. */
    static final class Converter extends WordConverter<Dimension> {
        private static final Set<Dimension> OF_EVENTS = Set.of(Dimension.LAYER, Dimension.TOOL);

        Converter() {
            super(
                    Stream.of(Dimension.values())
                            .filter(dimension -> !OF_EVENTS.contains(dimension))
                            .toList(),
                    Dimension::option);
        }
    }
}
