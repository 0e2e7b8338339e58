package dev.rlm.journal.format;

import dev.rlm.journal.format.segment.LineFile;
import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.sinks.SinkConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The folders and files that a journal is made of. */
public final class JournalFolder {
    /** The usual name of the sink that writes it. */
    public static final String SINK = "jsonl";

    /** The variable that names a journal's folder. */
    public static final String VARIABLE = "RLM_JSONL_DIR";

    /** The folder of a journal that is named nowhere. */
    public static final String DEFAULT = ".rlm";

    /** The name of the file of ended runs. */
    public static final String SUMMARIES = "runs.jsonl";

    /** The name of the file of notes on a recovery. */
    public static final String RECOVERY = "recovery.jsonl";

    /** The type of the note that all of a writer's runs have their ends. */
    public static final String RECOVERED = "ends_written";

    /** The file that names, a line each, the folders whose place this one takes. It goes when they are gone. */
    public static final String REPLACES = "replaces";

    /** The end of the names of folders that were merged from others. */
    public static final String MERGED = "-merged";

    private static final DateTimeFormatter START =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final Pattern WRITER = Pattern.compile("(\\d{8}T\\d{6}Z)-[0-9a-f]{8}");
    private static final byte[] RECOVERED_NOTE = ("{\"type\":\"" + RECOVERED + "\"").getBytes(StandardCharsets.UTF_8);
    private static final Pattern NAME = Pattern.compile("[^./\\\\\\x00][^/\\\\\\x00]*"); // of a folder beside it
    private static final Pattern OURS = Pattern.compile("lock(\\.[0-9a-f]+)?|" + REPLACES
            + "|(runs|recovery)\\.(jsonl(\\.tmp)?|(\\d+\\.)?torn(\\.tmp)?)|events-\\d+\\..+");

    private JournalFolder() {}

    /** Returns the folder of the journal that the variables choose. */
    public static Path configured(SinkConfig config) {
        return config.shared().path(VARIABLE).orElse(Path.of(DEFAULT));
    }

    /** Returns the name of a new writer's folder: the start, so that folders sort by it, and something random, so that no two writers meet. */
    public static String newName(InstantSource clock) {
        byte[] random = new byte[4];
        new SecureRandom().nextBytes(random);
        return START.format(clock.instant()) + "-" + HexFormat.of().formatHex(random);
    }

    /** Returns the start that the name of a writer's folder tells; {@code null} of any other file. */
    public static @Nullable Instant startOf(Path folder) {
        Matcher name = WRITER.matcher(String.valueOf(folder.getFileName()));
        try {
            return name.matches() ? START.parse(name.group(1), Instant::from) : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** The writers' folders in the order of their names, and so of their starts; or the folder itself if it is one. */
    public static List<Path> writers(Path directory) throws IOException {
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
    public static List<Path> replacedBy(Path folder) throws IOException {
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
    public static boolean isMerged(Path folder) {
        return String.valueOf(folder.getFileName()).endsWith(MERGED);
    }

    /** Returns whether a recovery has given all runs of a writer that died their ends. */
    public static boolean isRecovered(Path folder) throws IOException {
        Path notes = folder.resolve(RECOVERY);
        boolean[] found = {false};
        if (!PrivateFiles.isFile(notes)) {
            return false;
        }
        LineFile.read(notes, (bytes, from, length) -> {
            int end = from + Math.min(length, RECOVERED_NOTE.length);
            found[0] |= Arrays.equals(bytes, from, end, RECOVERED_NOTE, 0, RECOVERED_NOTE.length);
        });
        return found[0];
    }

    /** Returns whether a file of a writer's folder is the journal's, by its name. */
    public static boolean isOurs(Path file) {
        return OURS.matcher(String.valueOf(file.getFileName())).matches();
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
