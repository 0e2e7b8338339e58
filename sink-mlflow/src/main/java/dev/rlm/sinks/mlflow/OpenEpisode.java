package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.Failure;
import org.jspecify.annotations.Nullable;

/** An episode that has not ended. On the lane only. */
final class OpenEpisode {
    private final MlflowRun run;
    private final TokenSums tokens = new TokenSums();
    private @Nullable Fate fate;
    private int rewards;

    OpenEpisode(MlflowRun run) {
        this.run = run;
    }

    /** The run that it belongs to. */
    MlflowRun run() {
        return run;
    }

    TokenSums tokens() {
        return tokens;
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
