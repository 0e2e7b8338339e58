package dev.rlm.journal;

import dev.rlm.sinks.SinkStatus;

/**
 * A sink and the place it sends to: the key of the notes on records that have been sent.
 *
 * @param place the same for as long as the sink sends to the same back end; without secrets
 */
public record ResendTarget(String sink, String place) {
    /**
     * Returns the target of a sink: its fact {@code target} or, without one, its status detail up to the first comma.
     */
    public static ResendTarget of(SinkStatus status) {
        Object target = status.facts().get("target");
        String place = target == null ? status.detail().replaceFirst(", .*", "") : target.toString();
        return new ResendTarget(status.name(), place);
    }
}
