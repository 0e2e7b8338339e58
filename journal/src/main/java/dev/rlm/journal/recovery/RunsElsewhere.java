package dev.rlm.journal.recovery;

import dev.rlm.journal.WriterLines;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.line.SummaryFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells which of some runs have an end in another folder than the given one, or go on there. A dead writer does not tell
 * how its runs stand. The folders are read once, and only when a run is asked for.
 */
final class RunsElsewhere {
    private static final Path SEVERAL = Path.of("");

    private final List<Path> writers;
    private @Nullable Map<String, Path> known; // by run; SEVERAL where more folders than one hold it

    RunsElsewhere(List<Path> writers) {
        this.writers = writers;
    }

    /** Of these runs those that are elsewhere. The others will be ended in that folder, and so count for the next one. */
    Set<String> of(Path folder, Set<String> runs) throws IOException {
        Set<String> found = new HashSet<>();
        if (!runs.isEmpty()) {
            Map<String, Path> folders = known(folder);
            runs.stream()
                    .filter(run -> !folders.getOrDefault(run, folder).equals(folder))
                    .forEach(found::add);
            runs.stream().filter(run -> !found.contains(run)).forEach(run -> folders.put(run, folder));
        }
        return found;
    }

    private Map<String, Path> known(Path folder) throws IOException {
        if (known == null) {
            Map<String, Path> folders = new HashMap<>();
            for (Path writer : writers) {
                addEnds(folders, writer);
                if (!writer.equals(folder) && WriterLock.isHeld(writer)) {
                    addAll(folders, writer);
                }
            }
            known = folders;
        }
        return known;
    }

    private static void addEnds(Map<String, Path> folders, Path writer) throws IOException {
        SummaryFile.runIds(writer).forEach(run -> add(folders, run, writer));
    }

    /** Adds the runs of a writer that lives, by the heads of its lines. */
    private static void addAll(Map<String, Path> folders, Path writer) throws IOException {
        WriterLines lines = new WriterLines((segment, line) -> {
            if (line.head().isOfRun() && !line.head().runId().isEmpty()) {
                add(folders, line.head().runId(), writer);
            }
        });
        lines.read(writer, true);
        lines.warnOfUnreadable();
    }

    private static void add(Map<String, Path> folders, String run, Path writer) {
        folders.merge(run, writer, (one, other) -> one.equals(other) ? one : SEVERAL);
    }
}
