package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.SinkStatus;

/**
 * A sink, and the place it sends to: what tells whether a record has been sent somewhere.
 *
 * @param place the same for as long as the sink sends to the same back end; without secrets
 */
record Target(String sink, String place) {
    /** Where the sink sends to; where it does not say so as a fact, what it says before how it fares. */
    static Target of(SinkStatus status) {
        Object target = status.facts().get("target");
        String place = target == null ? status.detail().replaceFirst(", .*", "") : target.toString();
        return new Target(status.name(), place);
    }
}
