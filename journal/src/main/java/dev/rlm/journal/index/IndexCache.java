package dev.rlm.journal.index;

import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.sinks.SinkConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Indexes of segments in a folder of the user's, made by the first reader of a journal. Nothing is lost by deleting it.
 * An index that was made of another state of its segment, or is damaged, counts as none; one of a segment that has only
 * grown since is gone on with. Safe for use by several threads and processes.
 */
public final class IndexCache {
    /** Variable that says the folder. */
    public static final String VARIABLE = "RLM_JOURNAL_INDEX";

    /** Value of the variable for no folder. */
    public static final String NO_FOLDER = "none";

    /** Keeps none. */
    public static final IndexCache NONE = new IndexCache(null);

    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.journal");
    private static final String FORMAT = "rlm-index 8";
    private static final int NAME_BYTES = 16;
    private static final int CHECKED = 4 << 10; // bytes at both ends of what was read of a segment that grows
    private static final long WORTH_KEEPING = 1 << 20; // more bytes of such a one

    /** File systems tell two changes within this time apart by nothing. */
    private static final Duration UNSETTLED = Duration.ofSeconds(2);

    private static final Duration UNUSED = Duration.ofDays(30);
    private static final Duration DAY = Duration.ofDays(1);

    private final @Nullable Path folder;

    private IndexCache(@Nullable Path folder) {
        this.folder = folder;
    }

    /**
     * The one that a configuration says: kept in the folder that {@code RLM_JOURNAL_INDEX} names, or not at all where that is {@code none};
     * in the user's cache folder where it says nothing.
     */
    public static IndexCache configured(SinkConfig config) {
        SinkConfig shared = config.shared();
        Optional<Path> given = shared.path(VARIABLE);
        if (given.isPresent()) {
            return given.get().toString().equals(NO_FOLDER) ? NONE : in(given.get());
        }
        Path caches = userFolder(config);
        return caches.isAbsolute() ? in(caches.resolve("index")) : NONE;
    }

    /** Returns the user's cache folder of this program; a relative one where nothing tells where it is. */
    public static Path userFolder(SinkConfig config) {
        return config.shared()
                .path("XDG_CACHE_HOME")
                .filter(Path::isAbsolute)
                .orElseGet(() -> Path.of(System.getProperty("user.home", ""), ".cache"))
                .resolve("rlm");
    }

    /** One that is kept in that folder, made where it is not there. */
    public static IndexCache in(Path folder) {
        return new IndexCache(folder);
    }

    /** Begins to read a segment: its index as far as that is known. */
    public Reading read(Segment segment, boolean mayGrow) {
        return new Reading(segment, mayGrow);
    }

    /**
     * Deletes the indexes of a writer's segments: they name its runs.
     *
     * @throws IOException if that cannot be done
     */
    public void forget(Path writer) throws IOException {
        if (folder != null && Files.isDirectory(writer)) {
            Path its = folder(folder, writer);
            if (Files.isDirectory(its)) {
                try (Stream<Path> files = Files.list(its)) {
                    for (Path file : files.toList()) {
                        Files.deleteIfExists(file);
                    }
                }
                try {
                    Files.deleteIfExists(its);
                } catch (DirectoryNotEmptyException e) {
                    // another process makes them again
                }
            }
        }
    }

    private static Path file(Path folder, Segment segment) throws IOException {
        return folder(folder, segment.folder()).resolve("events-" + segment.number() + ".index");
    }

    private static Path folder(Path folder, Path writer) throws IOException {
        byte[] path = writer.toRealPath().toString().getBytes(StandardCharsets.UTF_8);
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(path);
            return folder.resolve(HexFormat.of().formatHex(hash, 0, NAME_BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Deletes, once a day, what has not been used for a month: its journal may be gone. */
    private static void sweep(Path folder) throws IOException {
        Path swept = folder.resolve("swept");
        if (isOlder(swept, DAY)) {
            try (Stream<Path> files = Files.walk(folder, 2)) {
                for (Path file : files.filter(PrivateFiles::isFile).toList()) {
                    if (isOlder(file, UNUSED)) {
                        Files.delete(file);
                    }
                }
            }
            try (IndexWriter empty = new IndexWriter(swept, 0)) {
                empty.finish(ByteBuffer.allocate(0));
            }
        }
    }

    private static boolean isOlder(Path file, Duration age) throws IOException {
        return !Files.exists(file)
                || Files.getLastModifiedTime(file)
                        .toInstant()
                        .isBefore(Instant.now().minus(age));
    }

    /** A segment that is being read. For one thread. */
    public final class Reading {
        private final Segment segment;
        private final boolean mayGrow;
        private final String state; // of the segment before it is read; empty where no index is to be kept
        private final SegmentIndex known;
        private boolean keeps;
        private @Nullable IndexWriter writer;

        private Reading(Segment segment, boolean mayGrow) {
            this.segment = segment;
            this.mayGrow = mayGrow;
            String before = "";
            SegmentIndex index = SegmentIndex.NONE;
            if (folder != null) {
                try {
                    before = state();
                    index = read(file(folder, segment), before);
                } catch (IOException | RuntimeException e) {
                    LOG.debug("the index of {} is not read: {}", segment, e.toString());
                }
            }
            state = before;
            known = index;
            keeps = !before.isEmpty();
            if (isComplete()) {
                known.chunks().forEach(IndexChunk::forgetHeads);
            }
        }

        /** Returns what is known; nothing is known where the index was made of another state. */
        public SegmentIndex known() {
            return known;
        }

        /** Returns whether the segment need not be read, since it is known to its end. */
        public boolean isComplete() {
            return !mayGrow && !known.equals(SegmentIndex.NONE);
        }

        private String state() throws IOException {
            BasicFileAttributes attributes = attributes();
            Instant changed = attributes.lastModifiedTime().toInstant();
            boolean settled = changed.isBefore(Instant.now().minus(UNSETTLED));
            boolean compressed = segment.file().equals(segment.compressed());
            return mayGrow
                    ? compressed ? "" : "grows"
                    : settled
                            ? (compressed ? "zst" : "plain") + "," + attributes.size() + "," + changed + ","
                                    + attributes.fileKey()
                            : "";
        }

        private BasicFileAttributes attributes() throws IOException {
            Path file = segment.file();
            BasicFileAttributes attributes =
                    Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isRegularFile()) {
                throw new NoSuchFileException(file.toString());
            }
            return attributes;
        }

        /** Of the beginning of a segment that grows, and of what stands right before a place in it: by these it is known to be the same. */
        private int checksum(long end) throws IOException {
            CRC32C checksum = new CRC32C();
            if (mayGrow) {
                int length = (int) Math.min(end, CHECKED);
                try (FileChannel file = PrivateFiles.open(segment.plain(), StandardOpenOption.READ)) {
                    checksum.update(PrivateFiles.read(file, 0, length));
                    checksum.update(PrivateFiles.read(file, end - length, length));
                }
            }
            return (int) checksum.getValue();
        }

        private SegmentIndex read(Path file, String before) throws IOException {
            if (before.isEmpty() || !PrivateFiles.isFile(file)) {
                return SegmentIndex.NONE;
            }
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
            byte[] expected = header(before);
            byte[] header = new byte[expected.length];
            bytes.get(header);
            long end = bytes.getLong();
            long lines = bytes.getLong();
            if (!MessageDigest.isEqual(header, expected) || bytes.getInt() != checksum(end)) {
                return SegmentIndex.NONE;
            }
            CRC32C whole = new CRC32C();
            whole.update(bytes.duplicate().position(0).limit(bytes.position()));
            if (bytes.getInt() != (int) whole.getValue()) {
                return SegmentIndex.NONE;
            }
            List<IndexChunk> chunks = new ArrayList<>();
            while (bytes.hasRemaining()) {
                chunks.add(IndexChunk.next(bytes));
            }
            if (isOlder(file, DAY)) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.now())); // it is in use
            }
            return new SegmentIndex(chunks, end, lines);
        }

        /** Adds what was read next, and is not the last: it need not be held until then. */
        public void add(IndexChunk chunk) {
            if (keeps) {
                try {
                    writer().append(chunk);
                } catch (IOException | RuntimeException e) {
                    fail(e);
                }
            }
            chunk.forgetHeads();
        }

        private IndexWriter writer() throws IOException {
            IndexWriter open = writer;
            if (open == null) {
                Path file = file(Objects.requireNonNull(folder), segment);
                PrivateFiles.createFolder(Objects.requireNonNull(file.getParent()));
                open = new IndexWriter(file, header(0, 0, 0).remaining());
                writer = open;
                for (IndexChunk chunk : known.chunks()) {
                    open.append(chunk);
                }
            }
            return open;
        }

        private void fail(Exception e) {
            LOG.debug("the index of {} is not kept: {}", segment, e.toString());
            keeps = false;
        }

        /**
         * Keeps the index, as well as that can be done.
         *
         * @param last was read last
         * @param end of the last line in the segment's text
         * @param lines number of lines, damaged ones included
         * @param whole whether nothing was passed over
         */
        public void finish(IndexChunk last, long end, long lines, boolean whole) {
            keeps &= whole && (!mayGrow || end - known.end() >= WORTH_KEEPING);
            add(last);
            known.chunks().forEach(IndexChunk::forgetHeads);
            try (IndexWriter file = writer) {
                if (keeps && file != null) {
                    file.finish(header(end, lines, checksum(end)));
                    sweep(Objects.requireNonNull(folder));
                }
            } catch (IOException | RuntimeException e) {
                fail(e);
            }
        }

        private ByteBuffer header(long end, long lines, int checksum) {
            byte[] header = header(state);
            ByteBuffer first = ByteBuffer.allocate(header.length + 2 * Long.BYTES + 2 * Integer.BYTES)
                    .put(header)
                    .putLong(end)
                    .putLong(lines)
                    .putInt(checksum);
            CRC32C whole = new CRC32C();
            whole.update(first.duplicate().flip());
            return first.putInt((int) whole.getValue()).flip();
        }

        private static byte[] header(String state) {
            return (FORMAT + " " + state + "\n").getBytes(StandardCharsets.US_ASCII);
        }
    }
}
