package dev.rlm.collector;

import dev.rlm.cli.http.RefusedException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Reader of the bodies of requests.
 *
 * @param maxLength in bytes, as it is sent and when it is not compressed any more
 * @param memory that all bodies share
 */
record Body(int maxLength, SharedMemory memory) {
    private static final int PIECE = 1 << 13;
    private static final Duration TIME = Duration.ofSeconds(60);

    /**
     * Reads all of a body.
     *
     * @param length that is said of it; -1 where none is
     * @throws IOException if it does not come whole
     */
    byte[] read(InputStream in, long length, boolean compressed, SharedMemory.Share share)
            throws IOException, RefusedException {
        if (length > maxLength) {
            throw tooLong();
        } else if (!compressed) {
            return read(in, (int) Math.max(length, 0), share);
        }
        byte[] sent = read(in, (int) Math.max(length, 0), share);
        try (InputStream unzipped = new GZIPInputStream(new java.io.ByteArrayInputStream(sent))) {
            return read(unzipped, 0, share);
        } catch (ZipException | EOFException e) {
            throw new RefusedException(400, "the body is no valid gzip");
        }
    }

    private byte[] read(InputStream in, int expected, SharedMemory.Share share) throws IOException, RefusedException {
        long by = System.nanoTime() + TIME.toNanos();
        int size = Math.max(PIECE, expected + 1);
        share.take(size);
        byte[] bytes = new byte[size];
        int length = 0;
        for (int count = in.read(bytes); count >= 0; count = in.read(bytes, length, bytes.length - length)) {
            length += count;
            if (length > maxLength) {
                throw tooLong();
            } else if (System.nanoTime() - by > 0) {
                throw new IOException("the body takes too long to come");
            } else if (length == bytes.length) {
                share.take(length);
                bytes = Arrays.copyOf(bytes, 2 * length);
            }
        }
        return Arrays.copyOf(bytes, length);
    }

    private RefusedException tooLong() {
        return new RefusedException(413, "the body is longer than " + maxLength + " bytes");
    }
}
