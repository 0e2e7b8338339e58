package dev.rlm.sinks.jsonl;

import java.io.IOException;

/** One line alone is longer than a file may be on this machine: it can never be written. */
final class LineTooLargeException extends IOException {
    private static final long serialVersionUID = 1;

    private final int from;
    private final int to;

    LineTooLargeException(int from, int to) {
        super("a line of " + (to - from) + " bytes is longer than a file may be");
        this.from = from;
        this.to = to;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }
}
