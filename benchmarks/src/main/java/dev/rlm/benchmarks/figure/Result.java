package dev.rlm.benchmarks.figure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Samples of a figure's contenders, round by round; and the reason why it ended early, if it did. */
final class Result {
    private final Figure figure;
    private final Map<String, List<Sample>> samples = new LinkedHashMap<>();
    private @Nullable String trouble;

    private Result(Figure figure) {
        this.figure = figure;
        figure.contenders().forEach(contender -> samples.put(contender.name(), new ArrayList<>()));
    }

    /** Measures the contenders in turn, at most so many rounds, every second one in reverse order. */
    static Result measure(Figure figure, int mostRounds, Progress progress) {
        Result result = new Result(figure);
        int rounds = Math.min(mostRounds, figure.mostRounds());
        try {
            for (int round = 0; round < rounds; round++) {
                result.round(round, rounds, progress);
            }
        } catch (FigureException e) {
            result.trouble = e.getMessage();
        }
        return result;
    }

    private void round(int round, int rounds, Progress progress) {
        List<Contender> contenders = figure.contenders();
        for (int i = 0; i < contenders.size(); i++) {
            Contender contender = contenders.get(round % 2 == 1 ? contenders.size() - 1 - i : i);
            progress.next(figure, contender, round, rounds);
            samples(contender.name()).add(contender.measure());
        }
    }

    Figure figure() {
        return figure;
    }

    List<Sample> samples(String contender) {
        List<Sample> found = samples.get(contender);
        if (found == null) {
            throw new IllegalArgumentException("there is no " + contender + " in " + figure.title());
        }
        return found;
    }

    /** Returns why there are fewer rounds than there should be; {@code null} if all are there. */
    @Nullable
    String trouble() {
        return trouble;
    }

    /** Says how far the measuring is. */
    @FunctionalInterface
    interface Progress {
        void next(Figure figure, Contender contender, int round, int rounds);
    }
}
