package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.Usage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** An episode that has not ended. On the lane only. */
final class OpenEpisode {
    private final MlflowRun run;
    private final Predicate<String> names;
    private double inputTokens = Double.NaN; // where no call said
    private double outputTokens = Double.NaN;
    private @Nullable DeliveryOutcome outcome;
    private final Map<String, Double> named = new LinkedHashMap<>(); // parts of rewards, and numbers of its own

    /**
     * One of that run.
     *
     * @param names which parts of rewards and numbers of its own there is room for, by their names
     */
    OpenEpisode(MlflowRun run, Predicate<String> names) {
        this.run = run;
        this.names = names;
    }

    /** The run that it belongs to. */
    MlflowRun run() {
        return run;
    }

    void called(Usage usage) {
        inputTokens = sum(inputTokens, usage.inputTokens());
        outputTokens = sum(outputTokens, usage.outputTokens());
    }

    private static double sum(double sum, @Nullable Long more) {
        return more == null ? sum : (Double.isNaN(sum) ? 0 : sum) + more;
    }

    /** Returns the figures that are shown of it. */
    EpisodeFigures figures(RunEnded end) {
        return EpisodeFigures.of(end, named(end), inputTokens, outputTokens);
    }

    /** Returns what it was given of each part of its rewards, before weighting, and its own numbers; non-finite ones left out. */
    Map<String, Double> named(RunEnded end) {
        end.metrics().forEach((name, value) -> named("metric/" + name, value));
        return named;
    }

    private void named(String name, double value) {
        if (Double.isFinite(value) && names.test(name)) {
            named.merge(name, value, Double::sum);
        }
    }

    void rewarded(RewardGiven reward) {
        for (RewardComponent part : reward.components()) {
            named("component/" + reward.source() + "/" + part.name(), part.value());
        }
    }

    /** Its start's; {@code null} where that has not come. */
    @Nullable
    DeliveryOutcome outcome() {
        return outcome;
    }

    void started(DeliveryOutcome value) {
        outcome = value;
    }

    /** There will be no more of it: it has arrived if its run has. */
    void closed() {
        if (outcome != null && run.known() != null) {
            outcome.delivered();
        } else if (outcome != null) {
            outcome.dropped(Failure.closed().reason());
        }
    }
}
