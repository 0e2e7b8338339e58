package dev.rlm.benchmarks.reading;

import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.Goal;
import java.util.List;

/** The figures of reading a journal. */
public final class ReadingFigures {
    private static final String DUCKDB = "DuckDB";
    private static final String RLM = "rlm, 256 MB of heap";
    private static final int MILLION = 1_000_000;
    private static final List<Integer> SIZES = List.of(MILLION / 16, MILLION / 4, MILLION);

    private ReadingFigures() {}

    public static List<Figure> figures() {
        return List.of(
                beside(false, "report of 1,000,000 steps"), beside(true, "export of 1,000,000 steps as CSV"), growth());
    }

    private static Figure beside(boolean export, String title) {
        return new Figure(
                10,
                title,
                List.of(new Reading(DUCKDB, true, export, MILLION), new Reading(RLM, false, export, MILLION)),
                List.of(Goal.ratio(Reading.STEPS_A_SECOND, RLM, DUCKDB).atLeast(0.5)));
    }

    private static Figure growth() {
        List<Reading> sizes = SIZES.stream()
                .map(steps -> new Reading(steps + " steps", false, false, steps))
                .toList();
        return new Figure(
                10,
                "report, growing",
                List.copyOf(sizes),
                List.of(Goal.ratio(
                                Reading.NANOS_A_STEP,
                                sizes.get(2).name(),
                                sizes.get(1).name())
                        .atMost(1.2)));
    }
}
