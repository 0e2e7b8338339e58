package dev.rlm.journal.maintenance;

import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.WriterFolders;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.recovery.DeadWriter;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;

/**
 * Takes runs out of a journal: all their lines, and the files that no other run keeps. Folders are rewritten file by
 * file, so that it may be killed anywhere: a run stays in the journal's list until all else of it is gone, and to
 * delete it again does the rest. Each file of events that was changed tells how many runs and lines it has lost, and
 * when.
 *
 * <p>Runs that lie, in whole or in part, with a writer that lives are {@linkplain #refused refused}.
 */
public final class RunDeletion {
    private final Path directory;
    private final List<RunSummary> runs = new ArrayList<>();
    private final List<RunSummary> refused = new ArrayList<>();
    private final Set<Path> folders = new TreeSet<>();

    private RunDeletion(Path directory) {
        this.directory = directory;
    }

    /**
     * Prepares the deletion of some runs and their {@linkplain Journal#parts parts}, and changes nothing.
     *
     * @throws JournalException if it cannot be told whether their writers live
     */
    public static RunDeletion of(Journal journal, Collection<RunSummary> chosen) {
        RunDeletion deletion = new RunDeletion(journal.directory());
        Map<Path, Boolean> living = new HashMap<>();
        for (RunSummary run : journal.withParts(chosen)) {
            boolean lives =
                    run.folders().stream().anyMatch(folder -> living.computeIfAbsent(folder, deletion::isLiving));
            (lives ? deletion.refused : deletion.runs).add(run);
        }
        deletion.runs.forEach(run -> deletion.folders.addAll(run.folders()));
        return deletion;
    }

    private boolean isLiving(Path folder) {
        try {
            return WriterLock.isHeld(folder);
        } catch (IOException e) {
            throw JournalException.unreadable(directory, e);
        }
    }

    /** Returns the runs that would go. */
    public List<RunSummary> runs() {
        return List.copyOf(runs);
    }

    /** Returns the chosen runs that stay, since a writer lives that may still write of them. */
    public List<RunSummary> refused() {
        return List.copyOf(refused);
    }

    /** Returns the folders in which the events lie of the runs that would go. */
    public List<Path> folders() {
        return List.copyOf(folders);
    }

    /**
     * Deletes the runs. A thread that is interrupted stops, between two files or in one that then stays as it was.
     *
     * @param done told how many folders have been looked through
     * @throws JournalException if another process is at work in the journal, or it cannot be read
     */
    public RunsDeleted delete(IntConsumer done) {
        if (runs.isEmpty()) {
            return new RunsDeleted(0, 0, 0, 0, 0, 0, false, List.of());
        }
        Set<String> ids = runs.stream().map(run -> run.run().runId()).collect(Collectors.toSet());
        List<Path> writers = new ArrayList<>(WriterFolders.existing(directory));
        try (Maintenance maintenance = Maintenance.begin(journal(writers))) {
            Work work = new Work(ids);
            work.problems.addAll(maintenance.problems());
            writers.sort(Comparator.comparing(folders::contains)); // what holds their events comes last
            for (int i = 0; i < writers.size() && !work.interrupted; i++) {
                work.in(writers.get(i));
                done.accept(i + 1);
            }
            return work.result();
        } catch (IOException e) {
            throw JournalException.unreadable(directory, e);
        }
    }

    /** One writer's folder may have been opened, and not its journal. */
    private Path journal(List<Path> writers) {
        Path parent = directory.toAbsolutePath().normalize().getParent();
        return parent != null && writers.equals(List.of(directory)) ? parent : directory;
    }

    /** The deletion while it is done. */
    private final class Work {
        private final RunLines lines;
        private final List<String> problems = new ArrayList<>();
        private int files;
        private int changed;
        private long doubtful;
        private boolean interrupted;

        Work(Set<String> ids) {
            lines = new RunLines(ids);
        }

        void in(Path folder) {
            try {
                if (Thread.currentThread().isInterrupted()) {
                    interrupted = true;
                } else if (Files.isSymbolicLink(folder)) {
                    problem(folder, "it is a symbolic link, and is not followed");
                } else if (!WriterLock.exists(folder)) {
                    deleteInEnded(folder);
                } else {
                    deleteInDead(folder);
                }
            } catch (ClosedByInterruptException e) {
                interrupted = true;
            } catch (IOException | RuntimeException e) {
                problems.add(folder + ": " + e);
            }
        }

        /** Under its lock, so that no writer goes on there meanwhile. */
        private void deleteInEnded(Path folder) throws IOException {
            Optional<WriterLock> taken = WriterLock.takeOver(folder, JournalFolder.newName(InstantSource.system()));
            if (taken.isPresent()) {
                try (WriterLock lock = taken.get()) {
                    try {
                        deleteIn(folder);
                    } finally {
                        lock.remove();
                    }
                }
            } else {
                problem(folder, "another process is at it: try again when that is done");
            }
        }

        private void deleteInDead(Path folder) throws IOException {
            Optional<DeadWriter> taken = DeadWriter.take(folder);
            if (taken.isPresent()) {
                try (DeadWriter writer = taken.get()) {
                    if (!writer.hasRecordedNothing()) {
                        deleteIn(folder);
                    }
                }
            } else if (WriterLock.exists(folder)) {
                problem(folder, "another process is at it: try again when that is done");
            } else {
                deleteInEnded(folder);
            }
        }

        /** Of a folder in which none of the runs is listed nothing needs to be told. */
        private void problem(Path folder, String words) {
            if (folders.contains(folder)) {
                problems.add(folder + ": " + words);
            }
        }

        private void deleteIn(Path folder) throws IOException {
            FolderRewrite rewrite = new FolderRewrite(folder, lines);
            boolean any = rewrite.leaveOut();
            if (any) {
                changed++;
                files += rewrite.files();
            }
            doubtful += any || folders.contains(folder) ? rewrite.doubtful() : 0;
        }

        RunsDeleted result() {
            return new RunsDeleted(
                    runs.size(), lines.count(), lines.damaged(), doubtful, files, changed, interrupted, problems);
        }
    }
}
