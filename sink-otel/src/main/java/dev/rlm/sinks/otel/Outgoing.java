package dev.rlm.sinks.otel;

/** Something to be sent in a batch with others of its kind: a span or a log record. */
interface Outgoing {
    /** How many of the sink's events it stands for; none where something else does. */
    int events();

    /** About how many bytes it takes in a request. */
    long bytes();
}
