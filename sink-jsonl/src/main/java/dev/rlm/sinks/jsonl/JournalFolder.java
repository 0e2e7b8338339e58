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

    private static boolean isWriter(Path folder) {
        return Files.exists(folder.resolve("lock")) || Files.exists(folder.resolve("events-1.jsonl"));
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
