package dev.rlm.journal.format.segment;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Reads a file's lines as bytes, also while it grows. */
public final class LineFile {
    private LineFile() {}

    /** Hands over every line that has its line feed; of a file that is not there none. */
    public static Position read(Path file, Lines lines) throws IOException {
        try {
            return readPlain(file, 0, lines.ofBlocks(), Lines.NONE);
        } catch (NoSuchFileException e) {
            return new Position(0, false);
        }
    }

    /** Hands over every line from the offset on that has its line feed, and then what stands behind the last one. */
    static Position readPlain(Path file, long offset, Blocks blocks, Lines rest) throws IOException {
        try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.READ)) {
            return new LineCutter(offset, blocks).read(channel.position(offset), rest);
        }
    }

    /** The same of a file that is compressed with zstd; the offset is one of its plain text. */
    static Position readCompressed(Path file, long offset, Blocks blocks, Lines rest) throws IOException {
        try (InputStream stream = new DecompressedFile(file)) {
            stream.skipNBytes(offset);
            return new LineCutter(offset, blocks).read(Channels.newChannel(stream), rest);
        }
    }

    /**
     * Appends lines, made if it is not there, and makes them survive a loss of power. Half a line that a killed process
     * has left at its end stays a line of its own.
     */
    public static void append(Path file, LineBuffer lines) throws IOException {
        try (FileChannel channel =
                PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            long size = channel.size();
            if (size > 0 && channel.read(last, size - 1) == 1 && last.get(0) != '\n') {
                size += channel.write(ByteBuffer.wrap(new byte[] {'\n'}), size);
            }
            lines.writeTo(channel.position(size));
            channel.force(false);
        }
        PrivateFiles.syncNames(file);
    }

    /** Makes what somebody else has written to a file survive a loss of power. */
    public static void sync(Path file) throws IOException {
        try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    /** Makes a file of lines as {@link #append} does. Where that fails it takes the file away: a full disk is to stay usable. */
    public static void create(Path file, LineBuffer lines) throws IOException {
        try {
            append(file, lines);
        } catch (IOException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    /**
     * Takes a line, without its line feed; the bytes are used again afterwards. Of what can be no line of text, since a NUL
     * is in it or it has more than 256 MiB, it may be the beginning alone.
     */
    @FunctionalInterface
    public interface Lines {
        /** Takes them, and does nothing. */
        Lines NONE = (bytes, from, length) -> {};

        void accept(byte[] bytes, int from, int length);

        /** Takes the lines of blocks, one by one. */
        default Blocks ofBlocks() {
            return (bytes, to) -> {
                int from = 0;
                while (from < to) {
                    int feed = ByteScan.lineFeed(bytes, from, to);
                    accept(bytes, from, feed - from);
                    from = feed + 1;
                }
                return bytes;
            };
        }
    }

    /** Takes many lines at a time, each with its line feed. */
    @FunctionalInterface
    public interface Blocks {
        /**
         * Takes them; the first one begins where the bytes begin.
         *
         * @param to end of the last one
         * @return bytes that the next ones may be read into: these if it does not keep them, or others, of any length
         */
        byte[] accept(byte[] bytes, int to) throws IOException;
    }

    /**
     * Position that a reading has come to.
     *
     * @param offset behind the last whole line
     * @param torn whether more follows there
     */
    public record Position(long offset, boolean torn) {}
}
