package dev.rlm.journal.format.segment;

import java.io.IOException;

/** Damage in a compressed file, which can be read up to some place in it and no further. */
public final class DamagedFileException extends IOException {
    private static final long serialVersionUID = 1;

    DamagedFileException(Exception cause) {
        super("the compressed file is damaged: " + cause.getMessage(), cause);
    }
}
