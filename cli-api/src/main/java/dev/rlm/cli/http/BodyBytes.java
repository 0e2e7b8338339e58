package dev.rlm.cli.http;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Body of a request in memory, of which there is a bound for all that come at a time. */
final class BodyBytes implements BodyStore {
    private static final int PIECE = 1 << 12;
    private static final MemoryBudget MEMORY =
            new MemoryBudget(Runtime.getRuntime().maxMemory() / 8);

    private final int max;
    private final MemoryBudget.Share share = MEMORY.share();
    private byte[] bytes = new byte[0];
    private int length;

    /** @param max its longest length in bytes */
    BodyBytes(int max) {
        this.max = max;
    }

    @Override
    public void add(ByteBuffer more) throws RefusedException {
        int count = more.remaining();
        if (count > max - length) {
            throw JsonServer.tooLong(max);
        } else if (count > bytes.length - length) {
            int size = (int) Math.min(max, Math.max(PIECE, Math.max(2L * length, (long) length + count)));
            if (!share.take(size - bytes.length)) {
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
