package dev.rlm.collector;

import dev.rlm.cli.http.MemoryBudget;
import dev.rlm.cli.http.RefusedException;
import java.io.ByteArrayInputStream;
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
record Body(int maxLength, MemoryBudget memory) {
    private static final int PIECE = 1 << 13;
    private static final Duration TIME = Duration.ofSeconds(60);

    /**
     * Reads all of a body.
     *
     * @param length its length in bytes as the request says it; -1 if it does not
     * @throws IOException if it does not come whole
     */
    byte[] read(InputStream in, long length, boolean compressed, MemoryBudget.Share share)
            throws IOException, RefusedException {
        if (length > maxLength) {
            throw tooLong();
        } else if (!compressed) {
            return read(in, (int) Math.max(length, 0), share);
        }
        byte[] sent = read(in, (int) Math.max(length, 0), share);
        try (InputStream unzipped = new GZIPInputStream(new ByteArrayInputStream(sent))) {
            return read(unzipped, 0, share);
        } catch (ZipException | EOFException e) {
            throw new RefusedException(400, "the body is no valid gzip");
        }
    }

    private byte[] read(InputStream in, int expected, MemoryBudget.Share share) throws IOException, RefusedException {
        long by = System.nanoTime() + TIME.toNanos();
        int size = Math.max(PIECE, expected + 1);
        take(share, size);
        byte[] bytes = new byte[size];
        int length = 0;
        for (int count = in.read(bytes); count >= 0; count = in.read(bytes, length, bytes.length - length)) {
            length += count;
            if (length > maxLength) {
                throw tooLong();
            } else if (System.nanoTime() - by > 0) {
                throw new IOException("the body takes too long to come");
            } else if (length == bytes.length) {
                take(share, length);
                bytes = Arrays.copyOf(bytes, 2 * length);
            }
        }
        return Arrays.copyOf(bytes, length);
    }

    /** Takes memory for so many bytes more; no request may have more than half of all, which it would wait for in vain. */
    static void take(MemoryBudget.Share share, long bytes) throws RefusedException {
        if (share.wouldExceedHalf(bytes)) {
            throw new RefusedException(413, "the request takes too much of the collector's heap");
        } else if (!share.take(bytes)) {
            throw busy();
        }
    }

    /** Returns the refusal of a request that is to be sent again later. */
    static RefusedException busy() {
        return new RefusedException(429, "too much is under way: send it again later");
    }

    private RefusedException tooLong() {
        return new RefusedException(413, "the body is longer than " + maxLength + " bytes");
    }
}
