package dev.rlm.journal.maintenance;

import dev.rlm.journal.JournalException;
import dev.rlm.journal.format.ArtifactFiles;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.MaintenanceLock;
import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.journal.format.segment.WriterLock;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Work on what the writers of a journal have left, by one process at a time. It begins with what another that was killed has left to
 * do: folders go whose place a merged one has taken.
 */
final class Maintenance implements Closeable {
    /** The folder in the journal in which folders are taken apart: no reader looks into it. */
    private static final String WORKSHOP = ".compact";

    private final Path journal;
    private final MaintenanceLock lock;
    private final List<String> problems = new ArrayList<>();

    private Maintenance(Path journal, MaintenanceLock lock) {
        this.journal = journal;
        this.lock = lock;
    }

    /**
     * Begins it.
     *
     * @throws JournalException if another process is at it
     */
    static Maintenance begin(Path journal) throws IOException {
        MaintenanceLock lock = MaintenanceLock.take(journal)
                .orElseThrow(() -> new JournalException("runs are being deleted from the journal at " + journal
                        + " by another process: try again when it is done"));
        Maintenance begun = new Maintenance(journal, lock);
        boolean done = false;
        try {
            deleteTree(journal.resolve(WORKSHOP));
            for (Path folder : JournalFolder.writers(journal)) {
                begun.deleteReplaced(folder);
            }
            done = true;
            return begun;
        } finally {
            if (!done) {
                lock.close();
            }
        }
    }

    /** Returns what could not be done; a line each. */
    List<String> problems() {
        return problems;
    }

    /**
     * Deletes the folders whose place another one takes; those that cannot be deleted stay hidden behind it, and are a problem.
     */
    private void deleteReplaced(Path by) throws IOException {
        boolean all = true;
        for (Path folder : JournalFolder.replacedBy(by)) {
            goOn();
            try {
                delete(folder);
            } catch (ClosedByInterruptException e) {
                throw e;
            } catch (IOException | RuntimeException e) {
                all = false;
                problems.add(folder + " was merged into " + by + " and cannot be deleted: " + e);
            }
        }
        if (all) {
            PrivateFiles.delete(by.resolve(JournalFolder.REPLACES));
        }
    }

    /** Throws where the thread is interrupted. */
    private static void goOn() throws ClosedByInterruptException {
        if (Thread.currentThread().isInterrupted()) {
            throw new ClosedByInterruptException();
        }
    }

    /** It vanishes at once: a reader finds all of it, or what took its place. */
    private void delete(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        String stranger = stranger(folder);
        if (!stranger.isEmpty()) {
            throw new IOException(stranger);
        }
        Path workshop = journal.resolve(WORKSHOP);
        PrivateFiles.createFolder(workshop);
        Path away = workshop.resolve(folder.getFileName());
        if (WriterLock.exists(folder)) {
            try (WriterLock held = WriterLock.take(folder)
                    .orElseThrow(() -> new IOException("another process is at it: try again when that is done"))) {
                Files.move(folder, away, StandardCopyOption.ATOMIC_MOVE);
            }
        } else {
            Files.move(folder, away, StandardCopyOption.ATOMIC_MOVE);
        }
        deleteTree(away);
    }

    /** Says what lies in a writer's folder that no writer made; empty where nothing does. */
    private static String stranger(Path folder) throws IOException {
        for (Path file : ArtifactFiles.with(folder, list(folder))) {
            boolean folderOfArtifacts = file.equals(folder.resolve(ArtifactFiles.FOLDER))
                    && Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS);
            boolean ours = PrivateFiles.isFile(file)
                    && (folder.equals(file.getParent()) ? JournalFolder.isOurs(file) : ArtifactFiles.isOurs(file));
            if (!folderOfArtifacts && !ours) {
                return file.getFileName() + " lies there, which is not the journal's";
            }
        }
        return "";
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static void deleteTree(Path folder) throws IOException {
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            deleteTree(journal.resolve(WORKSHOP));
        }
    }
}
