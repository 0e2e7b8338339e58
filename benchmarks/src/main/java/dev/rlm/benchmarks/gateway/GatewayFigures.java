package dev.rlm.benchmarks.gateway;

import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.Fork;
import dev.rlm.benchmarks.figure.Goal;
import java.util.List;
import java.util.stream.Stream;

/** The figure of what the gateway adds to calls of a model. */
public final class GatewayFigures {
    private static final String ONE = "1 stream";
    private static final String SOME = "50 streams";
    private static final String MANY = "500 streams";

    private GatewayFigures() {}

    public static List<Figure> figures() {
        return List.of(new Figure(
                20,
                "streamed calls through the gateway, with the journal, against calls of the model itself",
                List.of(streams(ONE, 1, 20, 5), streams(SOME, 50, 5, 20), streams(MANY, 500, 2, 100)),
                Stream.of(ONE, SOME, MANY)
                        .flatMap(name -> Stream.of(
                                        GatewayCost.FIRST_P50,
                                        GatewayCost.FIRST_P99,
                                        GatewayCost.WHOLE_P50,
                                        GatewayCost.WHOLE_P99,
                                        GatewayCost.RATE,
                                        GatewayCost.MEMORY)
                                .filter(value -> !value.equals(GatewayCost.MEMORY) || name.equals(MANY))
                                .map(value -> Goal.of(value, name)))
                        .toList()));
    }

    private static Fork streams(String name, int streams, int calls, int gap) {
        return Fork.of(
                name,
                "512m",
                GatewayCost.class,
                Integer.toString(streams),
                Integer.toString(calls),
                Integer.toString(gap));
    }
}
