package dev.rlm.runner.job;

import dev.rlm.journal.JournalException;
import dev.rlm.journal.format.segment.WriterLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The writers of a journal at a moment.
 *
 * @param folders one for each
 * @param anyLives whether one of them may be writing
 */
public record JournalWriters(Set<Path> folders, boolean anyLives) {
    static JournalWriters of(Path journal) {
        if (!Files.isDirectory(journal)) {
            return new JournalWriters(Set.of(), false);
        }
        try (Stream<Path> entries = Files.list(journal)) {
            Set<Path> folders = entries.filter(Files::isDirectory).collect(Collectors.toSet());
            return new JournalWriters(folders, folders.stream().anyMatch(JournalWriters::isHeld));
        } catch (IOException e) {
            throw new JournalException("the journal at " + journal + " cannot be read: " + e, e);
        }
    }

    /**
     * Returns whether the writer of that folder lives, or is being recovered at this moment.
     *
     * @throws JournalException if that cannot be found out
     */
    public static boolean isHeld(Path folder) {
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
