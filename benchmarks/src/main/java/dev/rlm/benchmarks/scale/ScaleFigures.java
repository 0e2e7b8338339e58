package dev.rlm.benchmarks.scale;

import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.Fork;
import dev.rlm.benchmarks.figure.Goal;
import java.util.List;
import java.util.stream.IntStream;

/** The figures of what it costs that many runs are open at once, and that conversations are long. */
public final class ScaleFigures {
    private static final int RUNS = 10_000;
    private static final String MANY = "10,000 runs";

    private ScaleFigures() {}

    public static List<Figure> figures() {
        return List.of(openRuns(), conversations());
    }

    private static Figure openRuns() {
        return new Figure(
                9,
                "runs open at once, journal and OpenTelemetry sink",
                List.of(Fork.of(MANY, "1g", OpenRuns.class, Integer.toString(RUNS))
                        .waitingForCompiler()),
                List.of(
                        Goal.of(OpenRuns.BYTES, MANY).atMost(4_096),
                        Goal.of(OpenRuns.NANOS_OF_MANY, MANY).atMost(450)));
    }

    private static Figure conversations() {
        return new Figure(
                22,
                "conversation handed over whole with each call, journal",
                IntStream.of(50, 150, 300, 1_000, 2_000)
                        .<Contender>mapToObj(turns ->
                                Fork.of(turns(turns), "256m", ConversationGrowth.class, Integer.toString(turns)))
                        .toList(),
                List.of(
                        Goal.of(ConversationGrowth.BYTES, turns(300)).atMost(2.0),
                        Goal.of(ConversationGrowth.COMPRESSED, turns(300)).atMost(0.6),
                        Goal.ratio(ConversationGrowth.CPU, turns(300), turns(150))
                                .atMost(1.1)));
    }

    private static String turns(int count) {
        return count + " turns";
    }
}
