package dev.rlm.journal;

import java.io.IOException;
import java.nio.file.Path;

/** A journal cannot be read, or has not what was asked of it. The message is one line that says what and why. */
public final class JournalException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public JournalException(String message) {
        super(message);
    }

    public JournalException(String message, Throwable cause) {
        super(message, cause);
    }

    /** A journal that is there and cannot be read. */
    public static JournalException unreadable(Path directory, IOException e) {
        return new JournalException("the journal at " + directory + " cannot be read: " + e, e);
    }
}
