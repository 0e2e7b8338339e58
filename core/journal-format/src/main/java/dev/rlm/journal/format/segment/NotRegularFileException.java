package dev.rlm.journal.format.segment;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** A link, a folder, a device or a pipe has the name of a journal's file. It is not opened: a pipe would never answer. */
public final class NotRegularFileException extends FileSystemException {
    private static final long serialVersionUID = 1;

    NotRegularFileException(Path file) {
        super(file.toString(), null, "not a regular file");
    }
}
