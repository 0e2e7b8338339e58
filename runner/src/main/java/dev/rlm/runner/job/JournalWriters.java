package dev.rlm.runner.job;

import dev.rlm.journal.JournalException;
import dev.rlm.journal.format.segment.WriterLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The writers of a journal at a moment.
 *
 * @param folders when something came into each or went out of it, as a lock does
 * @param anyLives whether one of them may be writing
 */
record JournalWriters(Map<Path, FileTime> folders, boolean anyLives) {
    static JournalWriters of(Path journal) {
        if (!Files.isDirectory(journal)) {
            return new JournalWriters(Map.of(), false);
        }
        try (Stream<Path> entries = Files.list(journal)) {
            Map<Path, FileTime> folders = new HashMap<>();
            for (Path folder : entries.filter(Files::isDirectory).toList()) {
                folders.put(folder, Files.getLastModifiedTime(folder));
            }
            return new JournalWriters(folders, folders.keySet().stream().anyMatch(JournalWriters::isHeld));
        } catch (IOException e) {
            throw new JournalException("the journal at " + journal + " cannot be read: " + e, e);
        }
    }

    /**
     * Returns whether a writer in that folder lives, or is being recovered at this moment.
     *
     * @throws JournalException if that cannot be found out
     */
    private static boolean isHeld(Path folder) {
        try {
            return WriterLock.isHeld(folder);
        } catch (IOException e) {
            throw new JournalException("the lock in " + folder + " cannot be looked at: " + e, e);
        }
    }

    /** Returns whether a reading of the journal since then is complete: no writer lives or lived, and there is no new one. */
    boolean areAtRestSince(JournalWriters then) {
        return !then.anyLives && !anyLives && folders.equals(then.folders);
    }
}
