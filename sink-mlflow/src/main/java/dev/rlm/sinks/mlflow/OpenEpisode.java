package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.Usage;
import org.jspecify.annotations.Nullable;

/** An episode that has not ended. On the lane only. */
final class OpenEpisode {
    private final MlflowRun run;
    private double inputTokens = Double.NaN; // where no call said
    private double outputTokens = Double.NaN;
    private @Nullable Fate fate;
    private int rewards;

    OpenEpisode(MlflowRun run) {
        this.run = run;
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
        return EpisodeFigures.of(end, inputTokens, outputTokens);
    }

    /** How many rewards it was given. */
    int rewards() {
        return rewards;
    }

    void rewarded() {
        rewards++;
    }

    /** Its start's; {@code null} where that has not come. */
    @Nullable
    Fate fate() {
        return fate;
    }

    void started(Fate value) {
        fate = value;
    }

    /** There will be no more of it: it has arrived if its run has. */
    void closed() {
        if (fate != null && run.known() != null) {
            fate.delivered();
        } else if (fate != null) {
            fate.dropped(Failure.closed().reason());
        }
    }
}
