package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.jsonl.segment.LineBuffer;

/**
 * The events' lines that were received and are not known to be safe yet: they are kept until they are, so that they can
 * be written again elsewhere.
 */
final class Unacknowledged {
    private final LineBuffer lines = new LineBuffer();
    private int events;
    private int written; // up to where they lie in files
    private int safe; // up to where they lie in files that are closed and need no second thought

    /** Where an event's line goes; {@link #added} tells that it is whole. */
    LineBuffer lines() {
        return lines;
    }

    void added() {
        events++;
    }

    /** How many events there are. */
    int events() {
        return events;
    }

    /** How many bytes they take. */
    int size() {
        return lines.size();
    }

    int written() {
        return written;
    }

    boolean isWritten() {
        return written == lines.size();
    }

    void writtenTo(int end) {
        written = end;
    }

    /** What is written needs not be written again, whatever happens to the next file. */
    void keepWritten() {
        safe = written;
    }

    /** What is written must be written again. */
    void writeAgain() {
        written = safe;
    }

    /** Gives up one event's line that is not written. */
    void remove(int from, int to) {
        lines.remove(from, to);
        events--;
    }

    /** All is safe, or given up. */
    void clear() {
        lines.clear();
        events = 0;
        written = 0;
        safe = 0;
    }
}
