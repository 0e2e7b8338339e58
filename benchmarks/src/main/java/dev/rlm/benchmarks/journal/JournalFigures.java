package dev.rlm.benchmarks.journal;

import dev.rlm.benchmarks.figure.CallerBytes;
import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.Fork;
import dev.rlm.benchmarks.figure.Goal;
import dev.rlm.benchmarks.figure.JmhFork;
import java.util.List;

/** The figures of what the journal takes in the long run, and of writing an event down. */
public final class JournalFigures {
    private static final int SMALL = 20_000; // steps, of two events each
    private static final int MEDIUM = 40_000;
    private static final int LARGE = 80_000;

    private static final String JOURNAL = "journal, synced";
    private static final String HALF = "journal, half as much";
    private static final String TWICE = "journal, twice as much";
    private static final String LOGBACK = "Logback async, unsynced";
    private static final String LOG4J = "Log4j async, unsynced";
    private static final String OWN = "journal's encoder";
    private static final String JACKSON = "Jackson 2";

    private JournalFigures() {}

    public static List<Figure> figures() {
        return List.of(rate(1), rate(2), growth(), encoding());
    }

    private static Figure rate(int threads) {
        return new Figure(
                5,
                "events in the long run, " + (threads == 1 ? "1 thread" : threads + " threads"),
                List.of(
                        fork(LOGBACK, Recorder.Kind.LOGBACK, threads, MEDIUM),
                        fork(LOG4J, Recorder.Kind.LOG4J, threads, MEDIUM),
                        fork(JOURNAL, Recorder.Kind.JOURNAL, threads, MEDIUM)),
                List.of(
                        Goal.ratio(SustainedRate.RATE, JOURNAL, LOGBACK).atLeast(1.5),
                        Goal.ratio(SustainedRate.RATE, JOURNAL, LOG4J).atLeast(2.5)));
    }

    private static Figure growth() {
        return new Figure(
                5,
                "time of an event as they become more",
                List.of(
                        fork(HALF, Recorder.Kind.JOURNAL, 1, SMALL),
                        fork(JOURNAL, Recorder.Kind.JOURNAL, 1, MEDIUM),
                        fork(TWICE, Recorder.Kind.JOURNAL, 1, LARGE)),
                List.of(Goal.ratio(SustainedRate.NANOS, TWICE, HALF).atMost(1.2)));
    }

    private static Contender fork(String name, Recorder.Kind kind, int threads, int steps) {
        return Fork.of(
                name, "1g", SustainedRate.class, kind.name(), Integer.toString(threads), Integer.toString(steps));
    }

    private static Figure encoding() {
        return new Figure(
                6,
                "an event as a line of JSON",
                List.of(
                        JmhFork.of(JACKSON, EncodedEvent.class, "jackson", 1),
                        JmhFork.of(OWN, EncodedEvent.class, "journal", 1)),
                List.of(
                        Goal.ratio(JmhFork.NANOS, OWN, JACKSON).atMost(0.7),
                        Goal.of(CallerBytes.BYTES, OWN).atMost(100)));
    }
}
