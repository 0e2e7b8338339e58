package dev.rlm.runner.record;

import org.jspecify.annotations.Nullable;

/**
 * A line as it came.
 *
 * @param number counted from 1
 * @param content without its line feed; {@code null} where it was too long to be kept
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares lines
record RawLine(long number, byte @Nullable [] content) {
    /** How long a line may be, in bytes. */
    static final int MAX_LENGTH = 64 << 20;

    byte[] bytes() throws RefusedException {
        if (content == null) {
            throw new RefusedException("the line is longer than " + (MAX_LENGTH >> 20) + " MiB");
        }
        return content;
    }

    /** What it takes in memory, in bytes. */
    int weight() {
        return content == null ? 0 : content.length;
    }

    boolean isBlank() {
        if (content == null) {
            return false;
        }
        for (byte each : content) {
            if (each != ' ' && each != '\t' && each != '\r') {
                return false;
            }
        }
        return true;
    }
}
