package dev.rlm.server.http;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Body of a request in memory, of which there is a bound for all that come at a time. */
final class BodyBytes implements BodyStore {
    private static final int PIECE = 1 << 12;
    private static final long MOST = Runtime.getRuntime().maxMemory() / 8;
    private static final MemoryBudget MEMORY = new MemoryBudget(MOST);

    private final int max;
    private final int expected;
    private final MemoryBudget.Share share = MEMORY.share();
    private byte[] bytes = new byte[0];
    private int length;

    /**
     * @param max its longest length in bytes
     * @param told its length as the request tells it; negative where it does not
     */
    BodyBytes(int max, long told) {
        this.max = max;
        this.expected = told >= 0 ? (int) Math.min(told, max) : max;
    }

    @Override
    public void add(ByteBuffer more) throws RefusedException {
        int count = more.remaining();
        if (count > max - length) {
            throw JsonServer.tooLong(max);
        } else if (count > bytes.length - length) {
            int size = (int) Math.max(length + count, Math.min(expected, Math.max(PIECE, 2L * length)));
            if (size > MOST) {
                throw new RefusedException(413, "the body takes more than an eighth of the heap");
            } else if (!share.take(size - bytes.length)) {
                throw JsonServer.busy();
            }
            bytes = Arrays.copyOf(bytes, size);
        }
        more.get(bytes, length, count);
        length += count;
    }

    /** Returns them, and counts them no more. */
    byte[] take() {
        close();
        return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }

    @Override
    public void close() {
        share.close();
    }
}
