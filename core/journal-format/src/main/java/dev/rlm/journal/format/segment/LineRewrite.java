package dev.rlm.journal.format.segment;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file of lines, plain or compressed, or rewrites it without some of its lines; all others stay byte for byte
 * in their order. The old file is there until the new one lies safely on the disk and was read back, and is then
 * replaced by it at once. For a holder of the lock of the files' writer, or a caller that knows that the writer has
 * ended well.
 */
public final class LineRewrite {
    private static final int CHUNK = 256 << 10;
    private static final int MAX_LINE = 256 << 20;
    private static final String UNFINISHED = ".tmp";

    private final Disk disk;

    public LineRewrite(Disk disk) {
        this.disk = disk;
    }

    /**
     * Hands over each line as it stands in the file, with its line feed where it has one.
     *
     * @throws DamagedFileException if a compressed file cannot be read to its end
     * @throws IOException if the file cannot be read, or has a line of more than 256 MiB
     */
    public static void read(Path file, LineTaker lines) throws IOException {
        try (InputStream in = open(file)) {
            byte[] bytes = new byte[CHUNK];
            int held = 0;
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes, held, bytes.length - held)) {
                int from = 0;
                int to = held + count;
                for (int feed = ByteScan.lineFeed(bytes, held, to); feed < to; ) {
                    lines.accept(bytes, from, feed + 1 - from);
                    from = feed + 1;
                    feed = ByteScan.lineFeed(bytes, from, to);
                }
                System.arraycopy(bytes, from, bytes, 0, to - from);
                held = to - from;
                bytes = held < bytes.length ? bytes : larger(file, bytes);
            }
            if (held > 0) {
                lines.accept(bytes, 0, held);
            }
        }
    }

    private static InputStream open(Path file) throws IOException {
        String name = file.toString();
        return name.endsWith(".zst") || name.endsWith(".zst" + UNFINISHED)
                ? new DecompressedFile(file)
                : Disk.LOCAL.read(file);
    }

    private static byte[] larger(Path file, byte[] bytes) throws IOException {
        if (bytes.length >= MAX_LINE) {
            throw new IOException(file + " has a line of more than " + (MAX_LINE >> 20) + " MiB");
        }
        return Arrays.copyOf(bytes, 2 * bytes.length);
    }

    /**
     * Leaves lines out of a file. One of which nothing is left goes. It keeps its time, by which it is known how old it is.
     *
     * @param note whole lines that are to stand behind its first line; may be none
     */
    public void leaveOut(Path file, LineTest leftOut, byte[] note) throws IOException {
        boolean[] noted = {note.length == 0};
        boolean any = write(
                file,
                Files.getLastModifiedTime(file),
                text -> read(file, (bytes, from, length) -> {
                    boolean kept = !leftOut.test(bytes, from, length);
                    boolean first = !noted[0];
                    noted[0] = true;
                    if (first && !(kept && bytes[from + length - 1] == '\n')) {
                        text.accept(note, 0, note.length);
                        first = false;
                    }
                    if (kept) {
                        text.accept(bytes, from, length);
                    }
                    if (first) {
                        text.accept(note, 0, note.length);
                    }
                }));
        if (!any) {
            disk.delete(file);
            disk.syncNames(parent(file));
        }
    }

    /**
     * Writes a file, compressed where its name says so, and puts it in the place of one that may be there once it was read back.
     *
     * @param time of its last change, as others are to see it
     * @return whether there were any lines; where there are none, nothing has changed
     */
    public boolean write(Path file, FileTime time, LineSource lines) throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + UNFINISHED);
        boolean done = false;
        disk.delete(beside);
        try (Disk.Output output = disk.create(beside)) {
            Text text = new Text(output, file.toString().endsWith(".zst"));
            lines.writeTo(text::add);
            byte[] digest = text.finish();
            if (text.length > 0) {
                output.sync();
                verify(beside, digest);
                Files.setLastModifiedTime(beside, time);
                output.rename(file);
                done = true;
            }
        } finally {
            if (!done) {
                disk.delete(beside);
            }
        }
        if (done) {
            disk.syncNames(parent(file));
        }
        return done;
    }

    private static Path parent(Path file) {
        return Objects.requireNonNull(file.toAbsolutePath().getParent());
    }

    private static void verify(Path written, byte[] expected) throws IOException {
        MessageDigest actual = sha256();
        try {
            read(written, actual::update);
        } catch (RuntimeException e) {
            throw new IOException(written + " cannot be read back: " + e, e);
        }
        if (!Arrays.equals(expected, actual.digest())) {
            throw new IOException(written + " does not read back as it was written");
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    /** Takes a line; the bytes are used again afterwards. */
    @FunctionalInterface
    public interface LineTaker {
        void accept(byte[] bytes, int from, int length) throws IOException;
    }

    /** Hands over lines, in pieces of any length. */
    @FunctionalInterface
    public interface LineSource {
        void writeTo(LineTaker text) throws IOException;
    }

    /** Tells lines apart. */
    @FunctionalInterface
    public interface LineTest {
        boolean test(byte[] bytes, int from, int length);
    }

    /** Text that is written, in pieces of the size of a frame. */
    private static final class Text {
        private final Disk.Output output;
        private final @Nullable FrameWriter frames;
        private final MessageDigest digest = sha256();
        private final byte[] piece = new byte[SeekTable.FRAME];
        private int held;
        private long length;

        Text(Disk.Output output, boolean compressed) {
            this.output = output;
            this.frames = compressed ? new FrameWriter(output) : null;
        }

        void add(byte[] bytes, int from, int count) throws IOException {
            digest.update(bytes, from, count);
            length += count;
            for (int at = from; at < from + count; ) {
                int some = Math.min(from + count - at, piece.length - held);
                System.arraycopy(bytes, at, piece, held, some);
                at += some;
                held += some;
                if (held == piece.length) {
                    write();
                }
            }
        }

        private void write() throws IOException {
            if (frames != null) {
                frames.write(piece, held);
            } else {
                output.append(ByteBuffer.wrap(piece, 0, held));
            }
            held = 0;
        }

        byte[] finish() throws IOException {
            if (held > 0) {
                write();
            }
            if (frames != null) {
                frames.finish();
            }
            return digest.digest();
        }
    }
}
