package dev.rlm.collector;

import dev.rlm.server.http.BoundedBytes;
import dev.rlm.server.http.JsonServer;
import dev.rlm.server.http.MemoryBudget;
import dev.rlm.server.http.RefusedException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.eclipse.jetty.server.Request;

/**
 * Reader of the bodies of requests.
 *
 * @param maxLength in bytes, as it is sent and when it is not compressed any more
 * @param memory that all bodies share
 */
record Body(int maxLength, MemoryBudget memory) {
    private static final Duration TIME = Duration.ofSeconds(60);

    /** Returns all of a body as it was sent, as a part of that share. */
    byte[] sent(Request request, MemoryBudget.Share share) throws IOException {
        byte[] sent;
        try {
            sent = JsonServer.body(request, maxLength, TIME);
        } catch (RefusedException e) { // an exporter may not take 408 for a reason to send again
            boolean again = e.status() == 408 || e.status() == 503;
            throw again ? new RefusedException(429, String.valueOf(e.getMessage())) : e;
        }
        take(share, sent.length);
        return sent;
    }

    /**
     * Returns what was compressed.
     *
     * @throws RefusedException if that is not valid, or too long
     */
    byte[] unzipped(byte[] sent, MemoryBudget.Share share) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(sent))) {
            return BoundedBytes.read(in, maxLength, bytes -> take(share, bytes));
        } catch (ZipException | EOFException e) {
            throw new RefusedException(400, "the body is no valid gzip");
        }
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
}
