package dev.rlm.cli;

import dev.rlm.journal.Journal;
import dev.rlm.journal.index.IndexCache;
import java.nio.file.Path;

/** Opens journals for verbs: from their files, or as a program that executes many verbs has them open. Safe for use by several threads. */
public interface Journals {
    /** Opens them from their files each time. */
    Journals FILES = new Journals() {
        @Override
        public Journal open(Path directory, IndexCache cache) {
            return Journal.open(directory, cache);
        }

        @Override
        public Journal openToRead(Path directory, IndexCache cache) {
            return Journal.openToRead(directory, cache);
        }
    };

    /** Opens the journal in a folder, as {@link Journal#open(Path, IndexCache)} does. */
    Journal open(Path directory, IndexCache cache);

    /** Opens it for a verb that reads the events of many runs next, as {@link Journal#openToRead} does. */
    Journal openToRead(Path directory, IndexCache cache);
}
