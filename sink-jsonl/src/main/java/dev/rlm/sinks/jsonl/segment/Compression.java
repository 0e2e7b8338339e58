package dev.rlm.sinks.jsonl.segment;

import io.airlift.compress.zstd.ZstdInputStream;
import io.airlift.compress.zstd.ZstdOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
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
    private static final int CHUNK = 128 << 10;

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
            copy(segment.plain(), output);
            output.sync();
            verify(segment.plain(), beside);
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

    private void copy(Path plain, Disk.Output output) throws IOException {
        try (InputStream from = disk.read(plain);
                OutputStream to = new ZstdOutputStream(new Appending(output))) {
            byte[] bytes = new byte[CHUNK];
            for (int count = from.read(bytes); count >= 0; count = from.read(bytes)) {
                to.write(bytes, 0, count);
                goOn();
            }
        }
    }

    private void verify(Path plain, Path compressed) throws IOException {
        try (InputStream expected = disk.read(plain);
                InputStream actual = new ZstdInputStream(disk.read(compressed))) {
            byte[] bytes = expected.readNBytes(CHUNK);
            while (Arrays.equals(bytes, actual.readNBytes(Math.max(1, bytes.length)))) {
                if (bytes.length == 0) {
                    return;
                }
                goOn();
                bytes = expected.readNBytes(CHUNK);
            }
            throw new IOException(compressed + " does not read back as " + plain);
        } catch (RuntimeException e) {
            throw new IOException(compressed + " cannot be read back: " + e, e);
        }
    }

    private void goOn() throws InterruptedIOException {
        if (stopped.getAsBoolean()) {
            throw new InterruptedIOException("stopped");
        }
    }

    /** The end of a file, as a stream that the file outlives. */
    private static final class Appending extends OutputStream {
        private final Disk.Output output;

        Appending(Disk.Output output) {
            this.output = output;
        }

        @Override
        public void write(int value) throws IOException {
            output.append(ByteBuffer.wrap(new byte[] {(byte) value}));
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            output.append(ByteBuffer.wrap(bytes, from, length));
        }
    }
}
