package dev.rlm.runner.openai;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A call of a model that came to nothing. The message is one line, and names no secret of ours. */
final class ChatException extends IOException {
    private static final long serialVersionUID = 1;
    private static final int MAX_LENGTH = 500;

    private final boolean passing;
    private final @Nullable Duration pause;

    /**
     * A failure.
     *
     * @param passing whether the same request may well work a little later
     * @param pause what the server asks to wait before that; {@code null} where it does not say
     */
    ChatException(String message, boolean passing, @Nullable Duration pause) {
        super(oneLine(message));
        this.passing = passing;
        this.pause = pause;
    }

    /** A failure that another try would not mend, or that came too late for one. */
    static ChatException lasting(String message) {
        return new ChatException(message, false, null);
    }

    boolean isPassing() {
        return passing;
    }

    @Nullable
    Duration pause() {
        return pause;
    }

    /** The text on one line, and of a long one its beginning. */
    static String oneLine(String text) {
        String line = text.replaceAll("\\s+", " ").strip();
        return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "…";
    }
}
