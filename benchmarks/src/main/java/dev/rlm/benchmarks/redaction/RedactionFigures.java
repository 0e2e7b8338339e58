package dev.rlm.benchmarks.redaction;

import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.Fork;
import dev.rlm.benchmarks.figure.Goal;
import dev.rlm.benchmarks.figure.JmhFork;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The figures of redaction: what it costs a lane, what it finds, and what it takes for a secret that is none. */
public final class RedactionFigures {
    private static final double MOST_NANOS = 3_000; // a kilobyte
    private static final double MOST_UNUSUAL_NANOS = 20_000;
    private static final double LEAST_FOUND = 0.995;
    private static final double MOST_MARKS = 1; // a megabyte
    private static final String HEAP = "256m";
    private static final String BY_KIND = "by kind";
    private static final String BY_SURROUNDING = "by surrounding";
    private static final String BUILT_IN = "lines that look like secrets, amid others";
    private static final String FILES = "the texts of " + FalseMarks.FILES;

    private RedactionFigures() {}

    public static List<Figure> figures() {
        return List.of(
                figure("redaction of a kilobyte of ordinary text", MOST_NANOS, true),
                figure("redaction of a kilobyte of unusual text", MOST_UNUSUAL_NANOS, false),
                recall(),
                falseMarks());
    }

    private static Figure recall() {
        return new Figure(
                        14,
                        "planted secrets that redaction finds",
                        List.of(
                                Fork.of(BY_KIND, HEAP, Recall.class, Recall.BY_KIND),
                                Fork.of(BY_SURROUNDING, HEAP, Recall.class, Recall.BY_SURROUNDING)),
                        List.of(
                                Goal.of(Recall.ALL, BY_KIND).atLeast(LEAST_FOUND),
                                Goal.of(Recall.LOWEST, BY_KIND).atLeast(LEAST_FOUND),
                                Goal.of(Recall.LOWEST, BY_SURROUNDING).atLeast(LEAST_FOUND)))
                .once();
    }

    private static Figure falseMarks() {
        List<Contender> texts = new ArrayList<>(List.of(Fork.of(BUILT_IN, HEAP, FalseMarks.class)));
        if (!FalseMarks.files().isEmpty()) {
            texts.add(Fork.of(FILES, HEAP, FalseMarks.class, FalseMarks.files().toArray(String[]::new)));
        }
        return new Figure(
                        15,
                        "marks in texts without a secret",
                        texts,
                        texts.stream()
                                .map(text ->
                                        Goal.of(FalseMarks.ALL, text.name()).atMost(MOST_MARKS))
                                .toList())
                .once();
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
                                .map(kind ->
                                        Goal.of(JmhFork.NANOS, kind.label()).atMost(most))
                                .toList())
                .atMostRounds(ordinary ? 2 : 1); // a thread's processor time varies little
    }

    private static Contender contender(Kind kind) {
        return Fork.of(kind.label(), HEAP, RedactedText.class, kind.name());
    }
}
