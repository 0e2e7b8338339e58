package dev.rlm.journal.format.segment;

import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.BooleanSupplier;

/**
 * Puts a compressed file in the place of a segment's plain one. The plain one goes when the other lies safely on the disk
 * and was read back; whatever fails before leaves it as it was.
 */
public final class Compression {
    private final Disk disk;
    private final BooleanSupplier stopped;

    /**
     * A way to compress.
     *
     * @param stopped whether to leave it at that
     */
    public Compression(Disk disk, BooleanSupplier stopped) {
        this.disk = disk;
        this.stopped = stopped;
    }

    /**
     * Compresses a segment that is closed.
     *
     * @throws InterruptedIOException if it was stopped
     * @throws IOException if that fails, or what was written cannot be read back
     */
    public void compress(Segment segment) throws IOException {
        Path beside = segment.folder().resolve(segment.compressed().getFileName() + "." + random() + ".tmp");
        boolean done = false;
        try (Disk.Output output = disk.create(beside)) {
            SeekTable table = copy(segment.plain(), output);
            output.sync();
            verify(segment.plain(), beside, table);
            output.rename(segment.compressed());
            done = true;
        } finally {
            if (!done) {
                disk.delete(beside);
            }
        }
        disk.syncNames(segment.folder());
        disk.delete(segment.plain());
    }

    /** Two processes may be at the same segment of a third that has ended. */
    private static String random() {
        byte[] bytes = new byte[4];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private SeekTable copy(Path plain, Disk.Output output) throws IOException {
        FrameWriter frames = new FrameWriter(output);
        try (InputStream from = disk.read(plain)) {
            for (byte[] text = next(from); text.length > 0; text = next(from)) {
                frames.write(text, text.length);
                goOn();
            }
        }
        return frames.finish();
    }

    private static byte[] next(InputStream from) throws IOException {
        return from.readNBytes(SeekTable.FRAME);
    }

    private void verify(Path plain, Path compressed, SeekTable table) throws IOException {
        ZstdDecompressor decompressor = new ZstdDecompressor();
        byte[] text = new byte[SeekTable.FRAME];
        try (InputStream expected = disk.read(plain);
                InputStream actual = disk.read(compressed)) {
            for (int frame = 0; frame < table.frames(); frame++) {
                byte[] packed = actual.readNBytes((int) (table.fileOffset(frame + 1) - table.fileOffset(frame)));
                int length = decompressor.decompress(packed, 0, packed.length, text, 0, text.length);
                check(Arrays.equals(next(expected), Arrays.copyOf(text, length)), plain, compressed);
                goOn();
            }
            boolean atEnd = Arrays.equals(table.bytes().array(), actual.readAllBytes());
            check(atEnd && expected.read() < 0, plain, compressed);
        } catch (RuntimeException e) {
            throw new IOException(compressed + " cannot be read back: " + e, e);
        }
    }

    private static void check(boolean same, Path plain, Path compressed) throws IOException {
        if (!same) {
            throw new IOException(compressed + " does not read back as " + plain);
        }
    }

    private void goOn() throws InterruptedIOException {
        if (stopped.getAsBoolean()) {
            throw new InterruptedIOException("stopped");
        }
    }
}
