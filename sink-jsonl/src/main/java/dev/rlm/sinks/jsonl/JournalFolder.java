package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.jsonl.segment.LineFile;
import dev.rlm.sinks.jsonl.segment.PrivateFiles;
import dev.rlm.sinks.jsonl.segment.Segment;
import dev.rlm.sinks.jsonl.segment.WriterLock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The folders and files that a journal is made of. */
final class JournalFolder {
    /** The usual name of the sink that writes it. */
    static final String SINK = "jsonl";

    /** The name of the file of ended runs. */
    static final String SUMMARIES = "runs.jsonl";

    private JournalFolder() {}

    /** The file that names, a line each, the folders whose place this one takes. It goes when they are gone. */
    static final String REPLACES = "replaces";

    /** The end of the names of folders that were merged from others. */
    static final String MERGED = "-merged";

    private static final Pattern NAME = Pattern.compile("[^./\\\\\\x00][^/\\\\\\x00]*"); // of a folder beside it
    private static final Pattern OURS = Pattern.compile(
            "lock|" + REPLACES + "|(runs|recovery)\\.(jsonl(\\.tmp)?|(\\d+\\.)?torn(\\.tmp)?)|events-\\d+\\..+");

    /** The writers' folders in the order of their names, and so of their starts; or the folder itself if it is one. */
    static List<Path> writers(Path directory) throws IOException {
        if (isWriter(directory)) {
            return List.of(directory);
        }
        try (Stream<Path> entries = Files.list(directory)) {
            List<Path> all = entries.filter(Files::isDirectory)
                    .filter(folder -> isWriter(folder) || hasImpostors(folder))
                    .sorted()
                    .toList();
            Set<Path> replaced = new HashSet<>();
            for (Path folder : all) {
                replaced.addAll(replacedBy(folder));
            }
            return replaced.isEmpty()
                    ? all
                    : all.stream().filter(folder -> !replaced.contains(folder)).toList();
        }
    }

    /** The folders whose place a merged one takes and which may still be there: what they hold is there, too. */
    static List<Path> replacedBy(Path folder) throws IOException {
        Path file = folder.resolve(REPLACES);
        if (!isMerged(folder) || !PrivateFiles.isFile(file)) {
            return List.of();
        }
        List<Path> replaced = new ArrayList<>();
        LineFile.read(file, (bytes, from, length) -> {
            String name = new String(bytes, from, length, StandardCharsets.UTF_8);
            if (NAME.matcher(name).matches()) {
                replaced.add(folder.resolveSibling(name));
            }
        });
        return replaced;
    }

    /** Returns whether a folder was merged from others, by its name. */
    static boolean isMerged(Path folder) {
        return String.valueOf(folder.getFileName()).endsWith(MERGED);
    }

    /** The merged folders that have come since the writers were listed: what was read of these may not be all. */
    static List<Path> mergedSince(Path directory, Collection<Path> writers) throws IOException {
        if (writers.contains(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(folder -> isMerged(folder) && !writers.contains(folder))
                    .sorted()
                    .toList();
        }
    }

    /** Returns whether a file of a writer's folder is the journal's, by its name. */
    static boolean isOurs(Path file) {
        return OURS.matcher(String.valueOf(file.getFileName())).matches();
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
