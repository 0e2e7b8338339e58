package dev.rlm.sinks.rollout;

import dev.rlm.sinks.event.RunInfo;
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

    /** Hears that a gateway has taken the status, or that it was dropped because it goes to none. */
    default void taken(RunInfo run, int code) {}
}
