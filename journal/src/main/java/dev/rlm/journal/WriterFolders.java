package dev.rlm.journal;

import dev.rlm.journal.format.JournalFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The writers' folders of a journal, as one finds them who reads it. */
public final class WriterFolders {
    private WriterFolders() {}

    /**
     * The writers' folders of a journal that is there.
     *
     * @throws JournalException if it is not, or cannot be read
     */
    public static List<Path> existing(Path directory) {
        if (!Files.isDirectory(directory)) {
            throw new JournalException("there is no journal at " + directory + ": "
                    + (Files.exists(directory) ? "it is not a folder" : "there is no such folder"));
        }
        try {
            List<Path> writers = JournalFolder.writers(directory);
            if (writers.isEmpty()) {
                throw new JournalException("there is no journal at " + directory + ": no run was recorded there");
            }
            return writers;
        } catch (IOException e) {
            throw JournalException.unreadable(directory, e);
        }
    }
}
