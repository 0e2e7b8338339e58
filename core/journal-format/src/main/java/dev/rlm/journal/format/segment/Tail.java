package dev.rlm.journal.format.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;

/**
 * Bytes that a writer that died has left behind the last whole line of a file: half a line, NULs where its length
 * reached the disk and its bytes did not, or whatever else. For the holder of the writer's lock.
 *
 * @param whole number of bytes of whole lines
 * @param size number of bytes of the file
 * @param feedMissing whether the last whole line has no line feed
 */
public record Tail(Path file, long whole, long size, boolean feedMissing) {
    private static final int WINDOW = 64 << 10;
    private static final int CHUNK = 64 << 10;

    /**
     * Looks for the last whole line, from the end of the file on: that costs no more than what stands behind it.
     *
     * @throws IOException if the file cannot be read, or if there is no whole line in its last gibibyte
     */
    public static Tail of(Path file, LineEnd lineEnd) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            long size = channel.size();
            long end = withoutNuls(channel, size);
            long window = WINDOW;
            Optional<Tail> found = Optional.empty();
            while (found.isEmpty()) {
                long from = Math.max(0, end - window);
                found = search(file, read(channel, from, end), from, size, lineEnd);
                window *= 2;
            }
            return found.get();
        }
    }

    /** Returns the size of the file without the NULs at its end, of which there may be many. */
    private static long withoutNuls(FileChannel channel, long size) throws IOException {
        long end = size;
        while (end > 0) {
            long from = Math.max(0, end - CHUNK);
            byte[] bytes = read(channel, from, end);
            for (int i = bytes.length; i > 0; i--) {
                if (bytes[i - 1] != 0) {
                    return from + i;
                }
            }
            end = from;
        }
        return 0;
    }

    private static byte[] read(FileChannel channel, long from, long to) throws IOException {
        if (to - from > 1 << 30) {
            throw new IOException("there is no whole line at its end");
        }
        return PrivateFiles.read(channel, from, (int) (to - from));
    }

    /** The last whole line in the end of a file; empty if it may lie before. */
    private static Optional<Tail> search(Path file, byte[] bytes, long offset, long size, LineEnd lineEnd) {
        int end = bytes.length;
        while (end > 0) {
            int start = startOfLine(bytes, end);
            boolean begins = start > 0 || offset == 0;
            int whole = begins ? lineEnd.find(bytes, start, end) : -1;
            if (whole > start) {
                boolean feed = whole < end && bytes[whole] == '\n';
                return Optional.of(new Tail(file, offset + whole + (feed ? 1 : 0), size, !feed));
            }
            end = start;
        }
        return offset == 0 ? Optional.of(new Tail(file, 0, size, false)) : Optional.empty();
    }

    private static int startOfLine(byte[] bytes, int end) {
        int start = end - 1; // where its own line feed may stand
        while (start > 0 && bytes[start - 1] != '\n') {
            start--;
        }
        return start;
    }

    /** Returns the number of bytes behind the last whole line. */
    public long bytes() {
        return size - whole;
    }

    /**
     * Moves these bytes into a file of their own, {@code <name>.torn}, and gives the last whole line its line feed. They
     * are safe there before they are cut off, so that it may be killed anywhere: the next one does the rest. Nothing that
     * was set aside before is overwritten.
     *
     * @return the file that keeps them; empty where there are none
     */
    public Optional<Path> setAside() throws IOException {
        Optional<Path> kept = bytes() > 0 ? Optional.of(keep()) : Optional.empty();
        if (bytes() > 0 || feedMissing) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                channel.truncate(whole);
                if (feedMissing) {
                    channel.write(ByteBuffer.wrap(new byte[] {'\n'}), whole);
                }
                channel.force(true);
            }
        }
        return kept;
    }

    private Path keep() throws IOException {
        int number = 1;
        while (Files.exists(torn(number), LinkOption.NOFOLLOW_LINKS)) {
            number++;
        }
        if (number > 1 && holdsTheSame(torn(number - 1))) {
            return torn(number - 1); // one that was killed had come so far
        }
        Path unfinished = sibling(".torn.tmp");
        try {
            copyTo(unfinished);
            Files.move(unfinished, torn(number), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(unfinished); // a full disk is to stay usable
            throw e;
        }
        PrivateFiles.syncNames(file);
        return torn(number);
    }

    private Path torn(int number) {
        return sibling(number == 1 ? ".torn" : "." + number + ".torn");
    }

    private Path sibling(String ending) {
        String name = file.getFileName().toString();
        return file.resolveSibling(name.substring(0, name.lastIndexOf('.')) + ending);
    }

    private void copyTo(Path target) throws IOException {
        Files.deleteIfExists(target); // of one that was killed
        try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
                FileChannel to = PrivateFiles.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            long at = whole;
            while (at < size) {
                at += from.transferTo(at, size - at, to);
            }
            to.force(true);
        }
    }

    private boolean holdsTheSame(Path kept) throws IOException {
        try (FileChannel one = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
                FileChannel other = FileChannel.open(kept, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            boolean same = other.size() == bytes();
            for (long at = 0; same && at < bytes(); at += CHUNK) {
                long to = Math.min(bytes(), at + CHUNK);
                same = Arrays.equals(read(one, whole + at, whole + to), read(other, at, to));
            }
            return same;
        }
    }

    /** Knows what a whole line is. */
    @FunctionalInterface
    public interface LineEnd {
        /**
         * Returns the index behind the whole line that begins there, without its line feed; negative if there is none.
         */
        int find(byte[] bytes, int from, int to);
    }
}
