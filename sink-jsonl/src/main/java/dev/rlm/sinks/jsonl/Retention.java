package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.ArtifactFiles;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.WriterLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the oldest closed segments of a journal, where they are older or more than is to be kept: this writer's own,
 * and those of writers that have ended, or died and been recovered. The folder of such a writer goes with its last
 * segment. Segments that another process may still write, or that no recovery has seen, are never touched.
 */
final class Retention {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.jsonl");

    private final JournalSettings settings;
    private final OwnFolder writer;
    private final Path own;
    private final Artifacts artifacts;
    private volatile int closedUpTo;
    private volatile int deletedUpTo;
    private final AtomicLong segmentsDeleted = new AtomicLong();
    private final AtomicLong bytesDeleted = new AtomicLong();
    private volatile @Nullable Instant oldest;

    Retention(JournalSettings settings, OwnFolder writer, Artifacts artifacts) {
        this.settings = settings;
        this.writer = writer;
        this.own = writer.path();
        this.artifacts = artifacts;
    }

    /** Says which of this writer's segments are closed. On any thread. */
    void closedUpTo(int number) {
        closedUpTo = number;
    }

    /** Returns the number up to which all of this writer's segments were deleted. May be called on any thread. */
    int deletedUpTo() {
        return deletedUpTo;
    }

    /** Deletes what is due. */
    void sweep() throws IOException {
        if (Files.notExists(settings.directory())) {
            return; // nothing has been written yet
        }
        List<Closed> all = new ArrayList<>();
        long total = 0;
        for (Path folder : JournalFolder.writers(settings.directory())) {
            if (!Files.isSymbolicLink(folder)) {
                total += bytes(folder);
                all.addAll(closed(folder));
            }
        }
        all.sort(Comparator.comparing(Closed::time)
                .thenComparing(closed -> closed.segment().number()));
        delete(all, total);
    }

    private void delete(List<Closed> all, long total) throws IOException {
        long left = total;
        long segments = 0;
        Instant kept = null;
        for (Closed closed : all) {
            long freed = isDue(closed, left) ? delete(closed.segment()) : 0;
            left -= freed;
            segments += freed > 0 ? 1 : 0;
            kept = freed == 0 && kept == null ? closed.time() : kept;
        }
        oldest = kept;
        count(segments, total - left);
    }

    private boolean isDue(Closed closed, long total) {
        boolean tooOld = !settings.keepAge().isZero()
                && closed.time().isBefore(settings.clock().instant().minus(settings.keepAge()));
        return tooOld || (settings.keepSize() > 0 && total > settings.keepSize());
    }

    private void count(long segments, long bytes) {
        if (segments > 0) {
            segmentsDeleted.addAndGet(segments);
            bytesDeleted.addAndGet(bytes);
            LOG.info("{}: deleted the {} oldest segments, {} bytes", settings.directory(), segments, bytes);
        }
    }

    private List<Closed> closed(Path folder) throws IOException {
        List<Closed> closed = new ArrayList<>();
        List<Segment> segments = Segment.of(folder); // before it is asked whether they are closed
        if (folder.equals(own) || isDeletable(folder)) {
            for (Segment segment : segments) {
                if (!folder.equals(own) || segment.number() <= closedUpTo) {
                    attributes(segment.file())
                            .ifPresent(file -> closed.add(
                                    new Closed(segment, file.lastModifiedTime().toInstant())));
                }
            }
        }
        return closed;
    }

    /**
     * Returns whether its writer has ended well, or died and been recovered. A folder of which that is not known stays;
     * so does one that tells of folders whose place it takes, until they are gone.
     */
    private static boolean isDeletable(Path folder) throws IOException {
        return JournalFolder.replacedBy(folder).isEmpty() && isClosed(folder);
    }

    private static boolean isClosed(Path folder) throws IOException {
        return !WriterLock.exists(folder)
                || (PrivateFiles.isFile(folder.resolve(WriterLock.FILE))
                        && !WriterLock.isHeld(folder)
                        && JournalFolder.isRecovered(folder));
    }

    /** Deletes a segment, and returns the bytes that this freed; 0 if another process holds the folder's lock. */
    private long delete(Segment segment) throws IOException {
        Path folder = segment.folder();
        if (folder.equals(own)) {
            long freed = deleteFiles(segment);
            deletedUpTo =
                    Segment.of(folder).stream().mapToInt(Segment::number).min().orElse(closedUpTo + 1) - 1;
            return freed + artifacts.deleteUpTo(deletedUpTo);
        } else if (!WriterLock.exists(folder)) {
            return writer.whileHeld(folder, () -> deleteFiles(segment) + deleteIfEmpty(folder));
        }
        try (WriterLock lock = WriterLock.take(folder).orElse(null)) {
            return lock == null ? 0 : deleteFiles(segment) + deleteIfEmpty(folder);
        }
    }

    private static long deleteFiles(Segment segment) throws IOException {
        return PrivateFiles.delete(segment.plain()) + PrivateFiles.delete(segment.compressed());
    }

    /** Takes the rest of a folder away where no segment is left; what is not the journal's stays. */
    private static long deleteIfEmpty(Path folder) throws IOException {
        long freed = 0;
        if (Segment.of(folder).isEmpty()) {
            List<Path> files = files(folder);
            for (Path file : files) {
                freed += JournalFolder.isOurs(file) ? PrivateFiles.delete(file) : 0;
            }
            freed += ArtifactFiles.deleteAll(folder);
            if (files(folder).isEmpty()) {
                Files.deleteIfExists(folder);
            }
        }
        return freed;
    }

    private static long bytes(Path folder) throws IOException {
        long bytes = 0;
        for (Path file : ArtifactFiles.with(folder, files(folder))) {
            bytes += attributes(file).map(BasicFileAttributes::size).orElse(0L);
        }
        return bytes;
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    private static Optional<BasicFileAttributes> attributes(Path file) throws IOException {
        try {
            return Optional.of(Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Returns what was deleted, and the time of the oldest closed segment left. May be called on any thread. */
    Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        if (segmentsDeleted.get() > 0) {
            facts.put("segments_deleted", segmentsDeleted.get());
            facts.put("bytes_deleted", bytesDeleted.get());
        }
        Instant since = oldest;
        if (since != null) {
            facts.put("oldest_closed_segment", since.toString());
        }
        return facts;
    }

    /** A segment that may be deleted. */
    private record Closed(Segment segment, Instant time) {}
}
