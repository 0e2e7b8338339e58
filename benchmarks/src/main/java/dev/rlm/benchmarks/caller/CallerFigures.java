package dev.rlm.benchmarks.caller;

import dev.rlm.benchmarks.caller.Recorder.Kind;
import dev.rlm.benchmarks.figure.CallerBytes;
import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.Fork;
import dev.rlm.benchmarks.figure.Goal;
import dev.rlm.benchmarks.figure.JmhFork;
import dev.rlm.benchmarks.figure.Known;
import dev.rlm.benchmarks.figure.Sample;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The figures of what recording costs the thread that records. */
public final class CallerFigures {
    private static final String RLM = "rlm";
    private static final String CURRENT = "rlm, steps current";
    private static final String IDLE = "raw SDK, idle processor";
    private static final String BATCH = "raw SDK + batch processor";
    private static final String BATCH_CURRENT = "raw SDK + batch processor, spans current, same MDC entries";
    private static final String RLM_CODE = "rlm-code 0.1.13 with JSONL and OTel, measured before on such a machine";
    private static final double RLM_CODE_NANOS = 79_000; // the mean; 658 µs in the 99th percentile
    private static final String IF_ENABLED = "if (enabled)";
    private static final String NOOP = "no-op OpenTelemetry API";
    private static final String NO_SINK = "hub with no sink";
    private static final String HEAP = "1g";
    private static final String SMALL_HEAP = "256m";
    private static final String PAUSED_SECONDS = "20";

    private CallerFigures() {}

    public static List<Figure> figures() {
        return List.of(
                burst(1), burst(2), paced(), current(1), current(2), disabled(1), disabled(2), runEnd(), pauses());
    }

    private static Figure burst(int threads) {
        boolean alone = threads == 1;
        List<Contender> more = alone
                ? List.of(
                        burst(IDLE, Kind.RAW_SDK_IDLE, threads),
                        new Known(RLM_CODE, new Sample(Map.of(JmhFork.NANOS, RLM_CODE_NANOS))))
                : List.of();
        List<Goal> gain = alone ? List.of(Goal.ratio(JmhFork.NANOS, RLM_CODE, RLM)) : List.of();
        return new Figure(
                1,
                "a step in a burst, " + threads(threads),
                Stream.concat(
                                Stream.of(burst(BATCH, Kind.RAW_SDK_BATCH, threads), burst(RLM, Kind.RLM, threads)),
                                more.stream())
                        .toList(),
                Stream.concat(
                                gain.stream(),
                                Stream.of(
                                        Goal.ratio(JmhFork.NANOS, RLM, BATCH).atMost(0.5),
                                        Goal.of(CallerBytes.BYTES, RLM).atMost(300)))
                        .toList());
    }

    private static Figure paced() {
        return new Figure(
                1,
                "a step of 4,000 a second, 2 threads",
                List.of(paced(BATCH, Kind.RAW_SDK_BATCH), paced(RLM, Kind.RLM)),
                List.of(
                        Goal.ratio(PacedSteps.P50, RLM, BATCH).atMost(0.15),
                        Goal.ratio(PacedSteps.P999, RLM, BATCH).atMost(0.15)));
    }

    /** Both sides make their steps current, and tell the log the run, the step, the trace and the span. */
    private static Figure current(int threads) {
        return new Figure(
                2,
                "a step that is current, in a burst, " + threads(threads),
                List.of(burst(BATCH_CURRENT, Kind.RAW_SDK_CURRENT, threads), burst(CURRENT, Kind.RLM_CURRENT, threads)),
                List.of(Goal.ratio(JmhFork.NANOS, CURRENT, BATCH_CURRENT).atMost(0.9)));
    }

    private static Figure disabled(int threads) {
        return new Figure(
                3,
                "a step with nothing enabled, " + threads(threads),
                List.of(
                        JmhFork.of(NOOP, NothingEnabled.class, "openTelemetry", threads),
                        JmhFork.of(RLM, NothingEnabled.class, "rlm", threads),
                        JmhFork.of(IF_ENABLED, NothingEnabled.class, "ifEnabled", threads)),
                List.of(
                        Goal.ratio(JmhFork.NANOS, RLM, NOOP).atMost(0.2),
                        Goal.of(CallerBytes.BYTES, RLM).atMost(0)));
    }

    private static Figure runEnd() {
        return new Figure(
                13,
                "a run's end, from that of its last step, on two busy cores",
                List.of(
                        Fork.of(NO_SINK, HEAP, RunEnds.class, RunEnds.NO_SINK).waitingForCompiler(),
                        Fork.of(RLM, HEAP, RunEnds.class, RunEnds.ALL_SINKS).waitingForCompiler()),
                List.of(
                        Goal.of(RunEnds.P50, RLM),
                        Goal.of(RunEnds.P999, RLM),
                        Goal.of(RunEnds.P50, NO_SINK),
                        Goal.of(RunEnds.P999, NO_SINK)));
    }

    private static Figure pauses() {
        return new Figure(
                        17,
                        "pauses of a thread that records, with full queues and collections, in 20 s",
                        List.of(
                                Fork.of(NO_SINK, SMALL_HEAP, Pauses.class, Pauses.NO_SINK, PAUSED_SECONDS),
                                Fork.of(RLM, SMALL_HEAP, Pauses.class, Pauses.ALL_SINKS, PAUSED_SECONDS)),
                        Stream.of(RLM, NO_SINK)
                                .flatMap(name -> Stream.of(Goal.of(Pauses.P999, name), Goal.of(Pauses.LONGEST, name)))
                                .toList())
                .once();
    }

    private static Contender burst(String name, Kind kind, int threads) {
        return new JmhFork(name, StepBurst.class, "steps", threads, Map.of("kind", kind.name()));
    }

    private static Contender paced(String name, Kind kind) {
        return Fork.of(name, HEAP, PacedSteps.class, kind.name()).waitingForCompiler();
    }

    private static String threads(int count) {
        return count == 1 ? "1 thread" : count + " threads";
    }
}
