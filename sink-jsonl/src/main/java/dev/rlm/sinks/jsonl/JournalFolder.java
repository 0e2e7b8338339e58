package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.jsonl.segment.PrivateFiles;
import dev.rlm.sinks.jsonl.segment.Segment;
import dev.rlm.sinks.jsonl.segment.WriterLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The folders and files that a journal is made of. */
final class JournalFolder {
    /** The name of the file of ended runs. */
    static final String SUMMARIES = "runs.jsonl";

    private JournalFolder() {}

    /** The writers' folders in the order of their names, and so of their starts; or the folder itself if it is one. */
    static List<Path> writers(Path directory) throws IOException {
        if (isWriter(directory)) {
            return List.of(directory);
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(Files::isDirectory)
                    .filter(folder -> isWriter(folder) || hasImpostors(folder))
                    .sorted()
                    .toList();
        }
    }

    /**
     * The writers' folders of a journal that is there.
     *
     * @throws JournalException if it is not, or cannot be read
     */
    static List<Path> existing(Path directory) {
        if (!Files.isDirectory(directory)) {
            throw new JournalException("there is no journal at " + directory + ": "
                    + (Files.exists(directory) ? "it is not a folder" : "there is no such folder"));
        }
        try {
            List<Path> writers = writers(directory);
            if (writers.isEmpty()) {
                throw new JournalException("there is no journal at " + directory + ": no run was recorded there");
            }
            return writers;
        } catch (IOException e) {
            throw unreadable(directory, e);
        }
    }

    static JournalException unreadable(Path directory, IOException e) {
        return new JournalException("the journal at " + directory + " cannot be read: " + e, e);
    }

    /** A folder that cannot be listed is none, as far as can be told. */
    private static boolean hasSegments(Path folder) {
        try {
            return !Segment.of(folder).isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    /** Such a folder is a writer's, of which it is to be told that it cannot be read; but not the journal's own. */
    private static boolean hasImpostors(Path folder) {
        try {
            return !Segment.impostors(folder).isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isWriter(Path folder) {
        return PrivateFiles.isFile(folder.resolve(WriterLock.FILE))
                || PrivateFiles.isFile(folder.resolve(SUMMARIES))
                || hasSegments(folder);
    }
}
