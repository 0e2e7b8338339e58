package dev.rlm.benchmarks.scale;

import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.Fork;
import dev.rlm.benchmarks.figure.Goal;
import java.util.List;

/** The figure of what it costs that many runs are open at once. */
public final class ScaleFigures {
    private static final int RUNS = 10_000;
    private static final String MANY = "10,000 runs";

    private ScaleFigures() {}

    public static List<Figure> figures() {
        return List.of(new Figure(
                9,
                "runs open at once, journal and OpenTelemetry sink",
                List.of(Fork.of(MANY, "1g", OpenRuns.class, Integer.toString(RUNS))
                        .waitingForCompiler()),
                List.of(
                        Goal.of(OpenRuns.BYTES, MANY).atMost(4_096),
                        Goal.of(OpenRuns.NANOS_OF_MANY, MANY).atMost(450))));
    }
}
