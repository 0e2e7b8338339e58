package dev.rlm.journal.format.segment;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Somebody else has taken away, replaced, cut or appended to a file of a writer that lives: what was in it is lost, or what
 * was written since may stand behind half a line of theirs.
 */
public final class TamperedException extends IOException {
    private static final long serialVersionUID = 1;

    TamperedException(Path file, String what) {
        super(file + " " + what);
    }
}
