package dev.rlm.runner.demo;

import dev.rlm.episodes.SetupException;

/** A data set cannot be used. The message is one line: the file, the line and what was expected there. */
public final class DataSetException extends SetupException {
    private static final long serialVersionUID = 1;

    DataSetException(String message) {
        super(message);
    }
}
