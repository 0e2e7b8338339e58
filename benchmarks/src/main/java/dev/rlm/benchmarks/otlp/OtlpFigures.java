package dev.rlm.benchmarks.otlp;

import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.Fork;
import dev.rlm.benchmarks.figure.Goal;
import java.util.List;
import java.util.stream.Stream;

/** The figures of what arrives at an OTLP receiver, as it happens and of a journal. */
public final class OtlpFigures {
    private static final String RLM = "rlm";
    private static final String DEFAULTS = "raw SDK, defaults, gRPC";
    private static final String RAW = "raw SDK, the sink's exporter settings";
    private static final String RESEND = "rlm resend";
    private static final String GROWTH = "rlm, three sizes";
    private static final String UNREDACTED = "rlm, redaction off";
    private static final String ALL = "rlm, both sinks";
    private static final String REFUSING = "rlm, back end that refuses";
    private static final String HANGING = "rlm, back end that hangs";
    private static final String ONE = "rlm collect, 1 sender";
    private static final String SOME = "rlm collect, 8 senders";
    private static final String COUNTED_ONE = "counted, 1 sender";
    private static final String COUNTED_SOME = "counted, 8 senders";
    private static final String COLLECT_WARM_UP = "10000"; // milliseconds
    private static final String COLLECT_MEASURED = "10000";
    private static final String THOUSAND = "1000"; // runs
    private static final String HEAP = "1g";
    private static final String WARM_UP = "2500"; // milliseconds
    private static final String MEASURED = "1200";
    private static final String SECONDS = "5";
    private static final int FEW_ROUNDS = 3;

    private OtlpFigures() {}

    public static List<Figure> figures() {
        return List.of(arrival(), growth(), flatOut(), slow(), resend(), manyRuns(), idle(), collect());
    }

    private static Figure arrival() {
        return new Figure(
                4,
                "steps that arrive at an OTLP receiver",
                List.of(
                        arrival(DEFAULTS, Way.RAW_DEFAULTS),
                        arrival(RAW, Way.RAW_LIKE_RLM),
                        arrival(RLM, Way.RLM),
                        arrival(UNREDACTED, Way.RLM_UNREDACTED)),
                List.of(
                        Goal.ratio(ArrivalRate.RATE, RLM, DEFAULTS).atLeast(8),
                        Goal.ratio(ArrivalRate.RATE, RLM, RAW).atLeast(0.7),
                        Goal.ratio(ArrivalRate.RATE, UNREDACTED, RAW).atLeast(1.1)));
    }

    private static Figure collect() {
        return new Figure(
                21,
                "spans that rlm collect acknowledges once they are synced, against a receiver that only counts them",
                List.of(
                        collect(COUNTED_ONE, "receiver", 1),
                        collect(ONE, "collect", 1),
                        collect(COUNTED_SOME, "receiver", 8),
                        collect(SOME, "collect", 8)),
                List.of(
                        Goal.of(CollectRate.RATE, ONE),
                        Goal.ratio(CollectRate.RATE, ONE, COUNTED_ONE),
                        Goal.of(CollectRate.P50, ONE),
                        Goal.of(CollectRate.P99, ONE),
                        Goal.of(CollectRate.RATE, SOME),
                        Goal.ratio(CollectRate.RATE, SOME, COUNTED_SOME),
                        Goal.of(CollectRate.P50, SOME),
                        Goal.of(CollectRate.P99, SOME)));
    }

    private static Fork collect(String name, String to, int senders) {
        return Fork.of(
                name,
                "256m",
                CollectRate.class,
                to,
                Integer.toString(senders),
                "100",
                COLLECT_WARM_UP,
                COLLECT_MEASURED);
    }

    private static Figure growth() {
        return new Figure(
                4,
                "steps that arrive, of small and large jobs",
                List.of(Fork.of(GROWTH, HEAP, Growth.class, "2")),
                List.of(Goal.of(Growth.LARGEST_TO_SMALLEST, GROWTH).atMost(1.2)));
    }

    private static Figure flatOut() {
        return new Figure(
                8,
                "steps as fast as they are taken, processor time of the whole process",
                List.of(
                        arrival(RAW, Way.RAW_LIKE_RLM).waitingForCompiler(),
                        arrival(ALL, Way.RLM_ALL).waitingForCompiler()),
                List.of(
                        Goal.of(ArrivalRate.CPU_OF_STEP, ALL).atMost(8),
                        Goal.ratio(ArrivalRate.CPU_OF_STEP, ALL, RAW).atMost(2)));
    }

    private static Figure slow() {
        return new Figure(
                        8,
                        "500 steps a second of 8 runs, processor time of the whole process",
                        List.of(processTime(ALL, Backend.TAKING, "8", "500")),
                        List.of(Goal.of(ProcessTime.CPU_OF_STEP, ALL).atMost(40)))
                .atMostRounds(FEW_ROUNDS);
    }

    private static Figure manyRuns() {
        return new Figure(
                        16,
                        "1,000 runs with a step each 100 ms, back end up and down",
                        List.of(
                                processTime(ALL, Backend.TAKING, THOUSAND, "10000"),
                                processTime(REFUSING, Backend.REFUSING, THOUSAND, "10000"),
                                processTime(HANGING, Backend.HANGING, THOUSAND, "10000")),
                        Stream.of(ALL, REFUSING, HANGING)
                                .flatMap(name -> Stream.of(
                                        Goal.of(ProcessTime.CPU_OF_STEP, name), Goal.of(ProcessTime.CLOSE, name)))
                                .toList())
                .once();
    }

    private static Figure idle() {
        return new Figure(
                        18,
                        "a process in which nothing happens",
                        List.of(processTime(ALL, Backend.TAKING, "0", "0")),
                        List.of(Goal.of(ProcessTime.CPU_OF_SECOND, ALL)))
                .once();
    }

    private static Contender processTime(String name, Backend backend, String runs, String rate) {
        return Fork.of(name, HEAP, ProcessTime.class, backend.name(), runs, rate, SECONDS)
                .waitingForCompiler();
    }

    private static Figure resend() {
        return new Figure(
                11,
                "steps that arrive of a journal of 50,000",
                List.of(arrival(RAW, Way.RAW_LIKE_RLM), new Resend(RESEND, 50, 2, 2)),
                List.of(Goal.ratio(ArrivalRate.RATE, RESEND, RAW).atLeast(0.5)));
    }

    private static Fork arrival(String name, Way way) {
        return Fork.of(name, HEAP, ArrivalRate.class, way.name(), WARM_UP, MEASURED);
    }
}
