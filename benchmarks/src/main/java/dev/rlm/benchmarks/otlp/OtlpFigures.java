package dev.rlm.benchmarks.otlp;

import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.Fork;
import dev.rlm.benchmarks.figure.Goal;
import java.util.List;

/** The figures of what arrives at an OTLP receiver, as it happens and of a journal. */
public final class OtlpFigures {
    private static final String RLM = "rlm";
    private static final String DEFAULTS = "raw SDK, defaults, gRPC";
    private static final String RAW = "raw SDK, the sink's exporter settings";
    private static final String RESEND = "rlm resend";
    private static final String GROWTH = "rlm, three sizes";
    private static final String HEAP = "1g";
    private static final String WARM_UP = "2500"; // milliseconds
    private static final String MEASURED = "1200";

    private OtlpFigures() {}

    public static List<Figure> figures() {
        return List.of(arrival(), growth(), resend());
    }

    private static Figure arrival() {
        return new Figure(
                4,
                "steps that arrive at an OTLP receiver",
                List.of(arrival(DEFAULTS, Way.RAW_DEFAULTS), arrival(RAW, Way.RAW_LIKE_RLM), arrival(RLM, Way.RLM)),
                List.of(
                        Goal.ratio(Arrival.RATE, RLM, DEFAULTS).atLeast(8),
                        Goal.ratio(Arrival.RATE, RLM, RAW).atLeast(0.95)));
    }

    private static Figure growth() {
        return new Figure(
                4,
                "steps that arrive, of small and large jobs",
                List.of(Fork.of(GROWTH, HEAP, Growth.class, "2")),
                List.of(Goal.of(Growth.LARGEST_TO_SMALLEST, GROWTH).atMost(1.2)));
    }

    private static Figure resend() {
        return new Figure(
                11,
                "steps that arrive of a journal of 50,000",
                List.of(arrival(RAW, Way.RAW_LIKE_RLM), new Resend(RESEND, 50, 2, 2)),
                List.of(Goal.ratio(Arrival.RATE, RESEND, RAW).atLeast(0.9)));
    }

    private static Contender arrival(String name, Way way) {
        return Fork.of(name, HEAP, Arrival.class, way.name(), WARM_UP, MEASURED);
    }
}
