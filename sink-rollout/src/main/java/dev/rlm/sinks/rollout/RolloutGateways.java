package dev.rlm.sinks.rollout;

import dev.rlm.sinks.event.RunInfo;
import org.jspecify.annotations.Nullable;

/** Directory of gateways by run, for a program that has trainers with gateways of their own. Safe for use by several threads. */
@FunctionalInterface
public interface RolloutGateways {
    /**
     * Returns where that status goes; {@code null} where nobody is to hear of it. Asked right before each request, the repeated
     * ones too: so a run that another attempt has taken the place of can be silenced.
     */
    @Nullable
    RolloutGateway of(RunInfo run, int code);

    /** Hears that a gateway has taken the status, or that nobody is to hear of it. */
    default void taken(RunInfo run, int code) {}
}
