package dev.rlm.journal.maintenance;

import dev.rlm.journal.JournalException;
import dev.rlm.journal.RecoveryNotes;
import dev.rlm.journal.ResendTarget;
import dev.rlm.journal.WriterFolders;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.journal.recovery.Recovery;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Merges the small folders of writers that do not live: those that ended well into one, and those that died into one for each set
 * of sinks to which their runs were sent. All lines, and all files that runs keep, stay. It may be killed anywhere: the merged folder
 * takes the place of the others at once, and the next maintenance of the journal deletes what is left of these.
 *
 * <p>A folder of 64 MiB or more stays as it is, since to find it takes no time beside reading it. Folders of writers that live, and
 * those in which others have put something, are not touched.
 */
public final class JournalCompaction {
    private static final long LARGE = 64 << 20;

    private final Path directory;
    private final IndexCache cache;
    private final Map<Optional<Set<ResendTarget>>, List<Path>> groups =
            new LinkedHashMap<>(); // empty where they ended well
    private final List<Path> into = new ArrayList<>();
    private final List<String> left = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final AtomicInteger written = new AtomicInteger();
    private final AtomicInteger deleted = new AtomicInteger();
    private int living;
    private int unrecovered;
    private int large;

    /**
     * Begins one, and does nothing yet.
     *
     * @param cache of which the indexes of folders that go are deleted
     */
    public JournalCompaction(Path directory, IndexCache cache) {
        this.directory = directory;
        this.cache = cache;
    }

    /** Returns how many folders' lines lie in merged ones by now. On any thread. */
    public int written() {
        return written.get();
    }

    /** Returns how many folders are gone by now, since a merged one took their place. On any thread. */
    public int deleted() {
        return deleted.get();
    }

    /**
     * Tells what there is to merge, and changes nothing.
     *
     * @throws JournalException if there is no journal, or it cannot be read
     */
    public JournalCompacted plan() {
        look();
        return result(several().stream().mapToInt(List::size).sum(), false);
    }

    /**
     * Merges them; before that, killed writers are recovered. A thread that is interrupted stops, and leaves the rest to the next time.
     *
     * @throws JournalException if another process deletes runs or merges folders, or the journal cannot be read
     */
    public JournalCompacted compact() {
        look();
        if (unrecovered > 0) {
            problems.addAll(Recovery.recover(directory).problems());
        }
        boolean interrupted = false;
        try (Maintenance maintenance = Maintenance.begin(directory, cache)) {
            look();
            for (List<Path> group : several()) {
                merge(group, maintenance);
            }
            problems.addAll(maintenance.problems());
        } catch (ClosedByInterruptException e) {
            interrupted = true;
        } catch (IOException e) {
            throw JournalException.unreadable(directory, e);
        }
        return result(deleted(), interrupted);
    }

    private JournalCompacted result(int folders, boolean interrupted) {
        return new JournalCompacted(folders, into, living, unrecovered, large, left, interrupted, problems);
    }

    private List<List<Path>> several() {
        return groups.values().stream().filter(group -> group.size() > 1).toList();
    }

    private void look() {
        groups.clear();
        left.clear();
        living = 0;
        unrecovered = 0;
        large = 0;
        for (Path folder : WriterFolders.existing(directory)) {
            if (folder.equals(directory)) {
                throw new JournalException(directory + " is the folder of one writer: expected that of the journal");
            }
            try {
                look(folder);
            } catch (IOException e) {
                left.add(folder + ": " + e);
            }
        }
    }

    private void look(Path folder) throws IOException {
        boolean died = WriterLock.exists(folder);
        if (WriterLock.isHeld(folder)) {
            living++;
        } else if (Files.isSymbolicLink(folder)) {
            left.add(folder + ": it is a symbolic link, and is not followed");
        } else if (!Segment.of(folder)
                .isEmpty()) { // else it is being made, or its writer was killed before its first line
            RecoveryNotes notes = RecoveryNotes.read(folder);
            String stranger = Maintenance.stranger(folder);
            if (died && !notes.areEndsWritten()) {
                unrecovered++;
            } else if (!stranger.isEmpty()) {
                left.add(folder + ": " + stranger);
            } else if (bytes(folder) >= LARGE) {
                large++;
            } else {
                groups.computeIfAbsent(died ? Optional.of(notes.sent()) : Optional.empty(), key -> new ArrayList<>())
                        .add(folder);
            }
        }
    }

    private static long bytes(Path folder) throws IOException {
        long bytes = 0;
        for (Segment segment : Segment.of(folder)) {
            bytes += segment.file().toFile().length();
        }
        return bytes;
    }

    private void merge(List<Path> group, Maintenance maintenance) throws ClosedByInterruptException {
        try {
            FolderMerge merge = new FolderMerge(maintenance.newFolder(name(group.get(0))));
            for (Path folder : group) {
                Maintenance.goOn();
                add(folder, merge);
                written.incrementAndGet();
            }
            if (merge.folders() > 1) {
                Path merged = maintenance.publish(merge.finish());
                into.add(merged);
                maintenance.deleteReplaced(merged, deleted::incrementAndGet);
            }
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            problems.add(group.size() + " folders, the first of them " + group.get(0) + ", are not merged: " + e);
        }
    }

    private void add(Path folder, FolderMerge merge) throws IOException {
        FolderMerge.Source source;
        try {
            source = FolderMerge.Source.of(folder);
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            problems.add(folder + " is not merged: " + e);
            return;
        }
        merge.add(source);
    }

    /** A name that stands where that of the first folder stood. */
    private static String name(Path first) {
        String start = String.valueOf(first.getFileName()).split("-", 2)[0];
        return start + "-" + JournalFolder.newName(InstantSource.system()).split("-", 2)[1] + JournalFolder.MERGED;
    }
}
