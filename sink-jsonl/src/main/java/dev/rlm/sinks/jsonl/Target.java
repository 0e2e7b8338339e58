package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.SinkStatus;

/**
 * A sink, and the place it sends to: what tells whether a record has been sent somewhere.
 *
 * @param place the same for as long as the sink sends to the same back end; without secrets
 */
record Target(String sink, String place) {
    /** Where the sink sends to as far as it says so: what it says after a comma is how it fares. */
    static Target of(SinkStatus status) {
        return new Target(status.name(), status.detail().replaceFirst(", .*", ""));
    }
}
