package dev.rlm.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Reads what may turn out to be much longer than what was sent, such as a compressed body. */
public final class BoundedBytes {
    private static final int PIECE = 1 << 13;

    private BoundedBytes() {}

    /** Taker of memory for so many bytes more, before they are there. */
    @FunctionalInterface
    public interface Memory {
        /** Takes it, or throws. */
        void take(int bytes) throws IOException;
    }

    /**
     * Reads all.
     *
     * @throws RefusedException if there are more bytes than that
     */
    public static byte[] read(InputStream in, int max, Memory memory) throws IOException {
        memory.take(PIECE);
        byte[] bytes = new byte[PIECE];
        int length = 0;
        for (int count = in.read(bytes); count >= 0; count = in.read(bytes, length, bytes.length - length)) {
            length += count;
            if (length > max) {
                throw JsonServer.tooLong(max);
            } else if (length == bytes.length) {
                memory.take(length);
                bytes = Arrays.copyOf(bytes, 2 * length);
            }
        }
        return Arrays.copyOf(bytes, length);
    }
}
