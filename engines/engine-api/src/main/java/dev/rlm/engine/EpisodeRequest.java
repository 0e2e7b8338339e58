package dev.rlm.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Episode that is asked for, as an engine sees it. Its attempts are runs. */
public interface EpisodeRequest {
    /** Returns how it stands. */
    AttemptHistory history();

    /** Returns how long each attempt may take; {@code null} for what the job's limits say. */
    @Nullable
    Duration timeout();
}
