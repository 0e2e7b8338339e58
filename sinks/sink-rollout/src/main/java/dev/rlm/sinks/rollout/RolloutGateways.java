package dev.rlm.sinks.rollout;

import dev.rlm.sinks.event.RunInfo;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Directory of gateways by run, for a program that has trainers with gateways of their own. Safe for use by several threads. */
@FunctionalInterface
public interface RolloutGateways {
    /**
     * Returns the gateway that the status goes to; {@code null} to drop it. Asked right before each request, the
     * repeated ones too: so a run that another attempt has taken the place of can be silenced.
     */
    @Nullable
    RolloutGateway of(RunInfo run, int code);

    /** Returns what is done once the record has what the status tells, or is known not to have it: until then nothing is told. */
    default CompletionStage<?> recorded(RunInfo run, int code) {
        return CompletableFuture.completedFuture(null);
    }

    /** Hears that a gateway has taken the status, or that it was dropped because it goes to none. */
    default void taken(RunInfo run, int code) {}
}
