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
    private static final int STEPS = 40_000; // of two events each

    private static final String JOURNAL = "journal, synced";
    private static final String LOGBACK = "Logback async, unsynced";
    private static final String LOG4J = "Log4j async, unsynced";
    private static final String OWN = "journal's encoder";
    private static final String JACKSON = "Jackson 2";

    private JournalFigures() {}

    public static List<Figure> figures() {
        return List.of(rate(), encoding());
    }

    private static Figure rate() {
        return new Figure(
                5,
                "events in the long run",
                List.of(
                        fork(LOGBACK, Recorder.Kind.LOGBACK, false),
                        fork(LOG4J, Recorder.Kind.LOG4J, false),
                        fork(JOURNAL, Recorder.Kind.JOURNAL, true)),
                List.of(
                        Goal.ratio(SustainedRate.rate(1), JOURNAL, LOGBACK).atLeast(1.5),
                        Goal.ratio(SustainedRate.rate(1), JOURNAL, LOG4J).atLeast(2),
                        Goal.ratio(SustainedRate.rate(2), JOURNAL, LOGBACK).atLeast(1.5),
                        Goal.ratio(SustainedRate.rate(2), JOURNAL, LOG4J).atLeast(2),
                        Goal.of(SustainedRate.GROWTH, JOURNAL).atMost(1.2)));
    }

    private static Contender fork(String name, Recorder.Kind kind, boolean growing) {
        return Fork.of(
                name, "1g", SustainedRate.class, kind.name(), Integer.toString(STEPS), Boolean.toString(growing));
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
