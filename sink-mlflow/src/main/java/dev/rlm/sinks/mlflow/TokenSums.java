package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Usage;
import org.jspecify.annotations.Nullable;

/** How many tokens an episode's model calls took; NaN where no call said. */
final class TokenSums {
    private double input = Double.NaN;
    private double output = Double.NaN;

    void add(Usage usage) {
        input = sum(input, usage.inputTokens());
        output = sum(output, usage.outputTokens());
    }

    private static double sum(double sum, @Nullable Long more) {
        return more == null ? sum : (Double.isNaN(sum) ? 0 : sum) + more;
    }

    double input() {
        return input;
    }

    double output() {
        return output;
    }
}
