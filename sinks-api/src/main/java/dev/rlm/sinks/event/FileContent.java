package dev.rlm.sinks.event;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of a file without its secrets. Their source is asked once, for the first reader and so on a sink's thread, and then
 * let go. Safe for use by several threads.
 */
public final class FileContent {
    private final int weight;
    private @Nullable Callable<byte[]> source; // guarded by this, as all that follows
    private byte[] bytes = {};
    private String sha256 = "";
    private @Nullable String absence;

    /**
     * @param weight how many bytes the source holds, or will give
     * @param source gives the bytes; throws an {@link IOException} where there are none, with the absence as its message
     */
    public FileContent(int weight, Callable<byte[]> source) {
        this.weight = weight;
        this.source = source;
    }

    /** Number of bytes that a queue has to bound; it never changes. */
    public int weight() {
        return weight;
    }

    /** Returns the reason why there are no bytes, in a word such as {@code secret}; {@code null} if there are bytes. */
    public synchronized @Nullable String absence() {
        read();
        return absence;
    }

    /** The bytes; empty where they are absent. */
    public synchronized ByteBuffer bytes() {
        read();
        return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    }

    /** SHA-256 of the bytes, as 64 hexadecimal digits; empty where they are absent. */
    public synchronized String sha256() {
        read();
        return sha256;
    }

    private void read() {
        Callable<byte[]> unread = source;
        source = null;
        if (unread != null) {
            try {
                bytes = unread.call();
                sha256 = HexFormat.of().formatHex(TruncationRule.newDigest().digest(bytes));
            } catch (IOException e) {
                absence = String.valueOf(e.getMessage());
            } catch (Exception | OutOfMemoryError e) { // fail closed, whatever the cause
                absence = "failed";
            }
        }
    }
}
