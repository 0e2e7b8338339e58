package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.segment.TamperedException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import java.util.Map;

/** Reason for which the disk refused something. The labels appear in the ledger, and do not change. */
enum DiskFault {
    /** No room is left on it, or none for this user. */
    DISK_FULL,
    /** A file may not grow that long. */
    FILE_TOO_LARGE,
    /** The process, or the machine, may not open more files. */
    TOO_MANY_OPEN_FILES,
    /** The folder or a file was taken away, replaced, cut or appended to while it was written to. */
    FOLDER_GONE,
    /** It may only be read. */
    NOT_WRITABLE,
    /** The writing thread was interrupted, again and again. */
    INTERRUPTED,
    /** Anything else: as a rule the disk is broken. */
    IO_ERROR;

    private static final Map<String, DiskFault> BY_MESSAGE = Map.of(
            "No space left on device", DISK_FULL,
            "Disk quota exceeded", DISK_FULL,
            "File too large", FILE_TOO_LARGE,
            "Too many open files", TOO_MANY_OPEN_FILES,
            "Read-only file system", NOT_WRITABLE,
            "Operation not permitted", NOT_WRITABLE,
            "Permission denied", NOT_WRITABLE,
            "Stale file handle", FOLDER_GONE);

    /** The operating system's words are all that Java hands on. */
    static DiskFault of(IOException e) {
        if (e instanceof NoSuchFileException || e instanceof NotDirectoryException || e instanceof TamperedException) {
            return FOLDER_GONE;
        } else if (e instanceof AccessDeniedException) {
            return NOT_WRITABLE;
        } else if (e instanceof ClosedChannelException) {
            return INTERRUPTED;
        }
        String words = e instanceof FileSystemException named ? named.getReason() : e.getMessage();
        return BY_MESSAGE.entrySet().stream()
                .filter(known -> words != null && words.startsWith(known.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(IO_ERROR);
    }

    /** The name in the ledger: {@code disk_full}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
