package dev.rlm.sinks.jsonl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The folders and files that a journal is made of. */
final class JournalFolder {
    private static final Pattern EVENTS_FILE = Pattern.compile("events-(\\d{1,9})\\.jsonl");

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
                    .filter(JournalFolder::isWriter)
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

    private static boolean isWriter(Path folder) {
        return Stream.of(WriterLock.FILE, SUMMARIES, eventFile(1)).anyMatch(file -> Files.exists(folder.resolve(file)));
    }

    /** The name of the writer's file of events of that number. */
    static String eventFile(int number) {
        return "events-" + number + ".jsonl";
    }

    /** The number of the file of events that comes after all others. */
    static int nextNumber(Path writer) throws IOException {
        return eventFiles(writer).stream().mapToInt(JournalFolder::number).max().orElse(0) + 1;
    }

    /** A writer's files of events in the order of their numbers. */
    static List<Path> eventFiles(Path writer) throws IOException {
        try (Stream<Path> files = Files.list(writer)) {
            return files.filter(file -> number(file) >= 0)
                    .sorted(Comparator.comparingInt(JournalFolder::number))
                    .toList();
        }
    }

    private static int number(Path file) {
        Matcher matcher = EVENTS_FILE.matcher(file.getFileName().toString());
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : -1;
    }
}
