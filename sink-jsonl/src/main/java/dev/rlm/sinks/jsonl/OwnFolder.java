package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.ArtifactFiles;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.JournalHeader;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.WriterLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder that a writer writes to: that of another that has ended well a short while ago and left little there, whose only file of
 * events it goes on with; else a new one. So many short processes leave few folders.
 *
 * @param path of the folder
 * @param name of the writer, which is that of a new folder
 * @param lock of a folder that was there, which is held; {@code null} of a new one
 * @param size of its file of events; 0 of a new one
 * @param age of the folder
 */
record OwnFolder(Path path, String name, Disk.@Nullable Lock lock, long size, Duration age) {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.jsonl");
    private static final int LOOKED_AT = 16; // of those that began last: as many processes may end at once
    private static final long LITTLE = 8_000_000; // bytes: below what is compressed at a writer's end
    private static final Duration SHORT_WHILE = Duration.ofDays(1);
    private static final Set<String> USUAL = Set.of("events-1.jsonl", JournalFolder.SUMMARIES, ArtifactFiles.FOLDER);

    /** Chooses it, and takes its lock where it is there. */
    static OwnFolder choose(JournalSettings settings) {
        String name = JournalFolder.newName(settings.clock());
        try {
            for (Path folder : latest(settings.directory())) {
                OwnFolder taken =
                        !WriterLock.exists(folder) && isFit(folder, settings) ? take(folder, name, settings) : null;
                if (taken != null) {
                    return taken;
                }
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("a new folder is begun in {}", settings.directory(), e);
        }
        return new OwnFolder(settings.directory().resolve(name), name, null, 0, Duration.ZERO);
    }

    private static List<Path> latest(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted(Comparator.reverseOrder())
                    .filter(entry -> JournalFolder.startOf(entry) != null)
                    .limit(LOOKED_AT)
                    .toList();
        }
    }

    /** It is looked at again once its lock is held: another may have gone on there meanwhile. */
    private static @Nullable OwnFolder take(Path folder, String name, JournalSettings settings) throws IOException {
        Optional<Disk.Lock> taken = settings.disk().takeOver(folder, name);
        if (taken.isEmpty()) {
            return null;
        }
        Disk.Lock lock = taken.get();
        boolean fit = false;
        try {
            fit = isFit(folder, settings);
            return fit ? new OwnFolder(folder, name, lock, Files.size(events(folder)), age(folder, settings)) : null;
        } finally {
            if (!fit) {
                try (lock) {
                    lock.remove();
                }
            }
        }
    }

    /** Returns whether a folder is young and holds one small file of events, of this version, and of ended runs, in whole lines. */
    private static boolean isFit(Path folder, JournalSettings settings) throws IOException {
        long most = settings.rotateSize() == 0 ? LITTLE : Math.min(LITTLE, settings.rotateSize() / 2);
        Duration oldest = settings.rotateAge().isZero() ? SHORT_WHILE : settings.rotateAge();
        LineBuffer header = new LineBuffer();
        JournalHeader.append(header);
        Duration age = age(folder, settings);
        return !Files.isSymbolicLink(folder)
                && !age.isNegative()
                && age.compareTo(oldest) < 0
                && hasNothingElse(folder)
                && isWhole(events(folder), most, header.bytes(0, header.size()))
                && isWhole(folder.resolve(JournalFolder.SUMMARIES), Long.MAX_VALUE, ByteBuffer.allocate(0));
    }

    /** Returns whether nothing lies there that a recovery, a deletion, a broken disk or a person has left. */
    private static boolean hasNothingElse(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                            .allMatch(name -> USUAL.contains(name) || name.startsWith(WriterLock.FILE))
                    && ArtifactFiles.with(folder, List.of()).stream().allMatch(ArtifactFiles::isOurs);
        }
    }

    /** Returns whether there is a file of at most that size, with that beginning and a line feed at its end. */
    private static boolean isWhole(Path file, long most, ByteBuffer beginning) throws IOException {
        if (!PrivateFiles.isFile(file)) {
            return false;
        }
        try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            byte[] first = PrivateFiles.read(channel, 0, beginning.remaining());
            return size > 0
                    && size <= most
                    && ByteBuffer.wrap(first).equals(beginning)
                    && PrivateFiles.read(channel, size - 1, 1)[0] == '\n';
        }
    }

    private static Path events(Path folder) {
        return new Segment(folder, 1).plain();
    }

    private static Duration age(Path folder, JournalSettings settings) {
        Instant start = Objects.requireNonNull(JournalFolder.startOf(folder)); // by which it was found
        return Duration.between(start, settings.clock().instant());
    }

    /**
     * Does something in the folder of another that has ended well, where no writer goes on meanwhile.
     *
     * @return what it returns, or 0 where somebody is there
     */
    long whileHeld(Path folder, Work work) throws IOException {
        try (WriterLock held = WriterLock.takeOver(folder, name).orElse(null)) {
            if (held == null) {
                return 0;
            }
            try {
                return work.run();
            } finally {
                held.remove();
            }
        }
    }

    /** Work in a folder, which returns what came of it. */
    @FunctionalInterface
    interface Work {
        long run() throws IOException;
    }

    /** Returns whether another has written there before. */
    boolean isTakenOver() {
        return lock != null;
    }

    /** Appends the line at the head of what this writer writes into a file. */
    void header(LineBuffer lines) {
        JournalHeader.append(lines, isTakenOver() ? name : "");
    }
}
