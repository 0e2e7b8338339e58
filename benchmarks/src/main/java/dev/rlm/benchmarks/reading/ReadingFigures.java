package dev.rlm.benchmarks.reading;

import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.Goal;
import java.util.List;

/** The figures of reading a journal. */
public final class ReadingFigures {
    private static final String DUCKDB = "DuckDB";
    private static final String RLM = "rlm, 256 MB of heap";
    private static final String INDEXED = "rlm with an index";
    private static final int MILLION = 1_000_000;
    private static final int MOST_ROUNDS = 3; // a million steps take long, and are told from much
    private static final String QUARTER = "rlm, 250,000 steps";
    private static final String SIXTEENTH = "rlm, 62,500 steps";

    private ReadingFigures() {}

    public static List<Figure> figures() {
        return List.of(report(), export());
    }

    /** Of three sizes: the smallest tells the start of a JVM. */
    private static Figure report() {
        return new Figure(
                        10,
                        "report of 1,000,000 steps",
                        List.of(
                                new Reading(DUCKDB, Reading.Kind.DUCKDB, false, MILLION),
                                new Reading(INDEXED, Reading.Kind.INDEXED, false, MILLION),
                                new Reading(RLM, Reading.Kind.RLM, false, MILLION),
                                new Reading(QUARTER, Reading.Kind.RLM, false, MILLION / 4),
                                new Reading(SIXTEENTH, Reading.Kind.RLM, false, MILLION / 16)),
                        List.of(
                                Goal.ratio(Reading.STEPS_A_SECOND, INDEXED, DUCKDB)
                                        .atLeast(1.0),
                                Goal.ratio(Reading.STEPS_A_SECOND, RLM, DUCKDB).atLeast(0.5),
                                Goal.ratio(Reading.NANOS_A_STEP, RLM, QUARTER).atMost(1.2)))
                .atMostRounds(MOST_ROUNDS);
    }

    private static Figure export() {
        return new Figure(
                        10,
                        "export of 1,000,000 steps as CSV",
                        List.of(
                                new Reading(DUCKDB, Reading.Kind.DUCKDB, true, MILLION),
                                new Reading(INDEXED, Reading.Kind.INDEXED, true, MILLION),
                                new Reading(RLM, Reading.Kind.RLM, true, MILLION)),
                        List.of(
                                Goal.ratio(Reading.STEPS_A_SECOND, INDEXED, DUCKDB)
                                        .atLeast(0.6),
                                Goal.ratio(Reading.STEPS_A_SECOND, RLM, DUCKDB).atLeast(0.6)))
                .atMostRounds(MOST_ROUNDS);
    }
}
