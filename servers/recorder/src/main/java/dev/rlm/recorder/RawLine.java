package dev.rlm.recorder;

import org.jspecify.annotations.Nullable;

/**
 * A line as it came.
 *
 * @param number counted from 1
 * @param content without its line feed; {@code null} where it was too long to be kept
 */
@SuppressWarnings("ArrayRecordComponent") // lines are not compared
record RawLine(long number, byte @Nullable [] content) {
    private static final int OBJECTS = 64; // bytes of the objects around the content

    /** Returns the size in memory, in bytes. */
    int weight() {
        return content == null ? OBJECTS : content.length + OBJECTS;
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
