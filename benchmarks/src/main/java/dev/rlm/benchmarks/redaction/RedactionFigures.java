package dev.rlm.benchmarks.redaction;

import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.Goal;
import dev.rlm.benchmarks.figure.JmhFork;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The figures of what redaction costs a lane. */
public final class RedactionFigures {
    private static final double MOST_NANOS = 4_000; // a kilobyte

    private RedactionFigures() {}

    public static List<Figure> figures() {
        return List.of(
                figure("redaction of a kilobyte of ordinary text", MOST_NANOS, true),
                figure("redaction of a kilobyte of unusual text", Double.NaN, false));
    }

    private static Figure figure(String title, double most, boolean ordinary) {
        List<Kind> kinds = Arrays.stream(Kind.values())
                .filter(kind -> kind.isOrdinary() == ordinary)
                .toList();
        return new Figure(
                7,
                title,
                kinds.stream().map(RedactionFigures::contender).toList(),
                kinds.stream()
                        .map(kind -> Goal.of(JmhFork.NANOS, kind.label()).atMost(most))
                        .toList());
    }

    private static Contender contender(Kind kind) {
        return new JmhFork(kind.label(), RedactedText.class, "kilobyte", 1, Map.of("kind", kind.name()));
    }
}
