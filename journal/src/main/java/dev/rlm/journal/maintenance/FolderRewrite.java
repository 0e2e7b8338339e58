package dev.rlm.journal.maintenance;

import dev.rlm.journal.format.ArtifactFiles;
import dev.rlm.journal.format.JsonLine;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.journal.format.segment.LineRewrite;
import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.journal.line.HeadScan;
import dev.rlm.journal.line.LineHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Leaves the lines of some runs out of all files of a writer that does not live. The files of events come last: as long as one
 * of them holds a line of a run, the journal lists it.
 */
final class FolderRewrite {
    /** The type of the line that tells in a file of events what was deleted from it. */
    static final String RUNS_DELETED = "runs_deleted";

    private static final Pattern EVENTS = Pattern.compile("events-\\d{1,9}\\.jsonl(\\.zst)?");
    private static final Pattern OTHER_TEXT =
            Pattern.compile("runs\\.jsonl|(events-\\d{1,9}|runs|recovery)\\.(\\d+\\.)?torn");
    private static final Pattern MADE_OF_EVENTS = Pattern.compile("(events-\\d{1,9}|runs)\\..+");
    private static final byte[] KEPT_FILE = HeadScan.beginning("\"path\":\"" + ArtifactFiles.FOLDER + "/");
    private static final int HASH = 64;
    private static final int ATTEMPTS = 3;

    private final Path folder;
    private final RunLines lines;
    private final LineRewrite rewrite = new LineRewrite(Disk.LOCAL);
    private int files;
    private long doubtful;

    FolderRewrite(Path folder, RunLines lines) {
        this.folder = folder;
        this.lines = lines;
    }

    /**
     * Leaves them out, and looks again: a process that compresses what others have left needs no lock, and may just have put a
     * file in place that it read before.
     *
     * @return whether there were any
     * @throws IOException if that fails, or a file cannot be read to its end; that file stays as it is
     */
    boolean leaveOut() throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (!leaveOutOnce()) {
                return attempt > 0;
            }
        }
        throw new IOException("another process changes its files: try again when that is done");
    }

    /** Returns how many files went that no other run keeps. */
    int files() {
        return files;
    }

    /** Returns the number of damaged lines whose run cannot be determined. */
    long doubtful() {
        return doubtful;
    }

    private boolean leaveOutOnce() throws IOException {
        List<Found> found = new ArrayList<>();
        Set<String> kept = new HashSet<>();
        doubtful = 0;
        for (Path file : files(folder)) {
            if (isText(file)) {
                Found inFile = new Found(file, kept);
                LineRewrite.read(file, inFile::look);
                doubtful += inFile.doubtful;
                if (inFile.lines > 0) {
                    found.add(inFile);
                }
            }
        }
        if (!found.isEmpty()) {
            deleteDerived();
            files += ArtifactFiles.deleteAllBut(folder, kept);
            for (Found inFile : found) {
                inFile.leaveOut();
            }
        }
        return !found.isEmpty();
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(PrivateFiles::isFile)
                    .sorted(Comparator.comparing(FolderRewrite::isOfEvents).thenComparing(file -> file))
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    private static boolean isOfEvents(Path file) {
        return EVENTS.matcher(file.getFileName().toString()).matches();
    }

    private static boolean isText(Path file) {
        return isOfEvents(file)
                || OTHER_TEXT.matcher(file.getFileName().toString()).matches();
    }

    /** Takes away what was made of the files, unfinished copies of them among it: it tells what they told. */
    private void deleteDerived() throws IOException {
        for (Path file : files(folder)) {
            if (!isText(file)
                    && MADE_OF_EVENTS.matcher(file.getFileName().toString()).matches()) {
                PrivateFiles.delete(file);
            }
        }
    }

    /** Findings in one file: the lines to leave out, and those whose run cannot be determined. */
    private final class Found {
        private final Path file;
        private final Set<String> keptByOthers;
        private final Set<String> runs = new HashSet<>();
        private long lines;
        private long damaged;
        private long doubtful;

        Found(Path file, Set<String> keptByOthers) {
            this.file = file;
            this.keptByOthers = keptByOthers;
        }

        void look(byte[] bytes, int from, int length) {
            RunLines.Kind kind = FolderRewrite.this.lines.kind(bytes, from, length);
            if (kind.isTheirs()) {
                lines++;
                damaged += kind == RunLines.Kind.THEIRS_DAMAGED ? 1 : 0;
                LineHead head = LineHead.unchecked(bytes, from, from + length);
                if (head != null) {
                    runs.add(head.runId());
                }
            } else {
                addKeptFiles(keptByOthers, bytes, from, from + length);
                doubtful += kind == RunLines.Kind.DOUBTFUL ? 1 : 0;
            }
        }

        void leaveOut() throws IOException {
            rewrite.leaveOut(
                    file,
                    (bytes, from, length) ->
                            FolderRewrite.this.lines.kind(bytes, from, length).isTheirs(),
                    isOfEvents(file) ? note() : new byte[0]);
            FolderRewrite.this.lines.gone(lines, damaged);
        }

        private byte[] note() {
            LineBuffer note = new LineBuffer();
            JsonLine.append(
                    note,
                    line -> line.put("type", RUNS_DELETED)
                            .put("time", Instant.now())
                            .put("runs", runs.size())
                            .put("lines", lines));
            return note.toByteArray();
        }
    }

    private static void addKeptFiles(Set<String> hashes, byte[] bytes, int from, int to) {
        int at = RunLines.indexOf(KEPT_FILE, bytes, from, to);
        while (at >= 0) {
            int hash = at + KEPT_FILE.length;
            if (hash + HASH <= to) {
                hashes.add(new String(bytes, hash, HASH, StandardCharsets.US_ASCII));
            }
            at = RunLines.indexOf(KEPT_FILE, bytes, hash, to);
        }
    }
}
