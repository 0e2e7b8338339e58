package dev.rlm.sinks.jsonl.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;

/**
 * Cuts bytes into lines as they are read. Of what can be no line of text, since a NUL is in it or it is too long, it keeps
 * the beginning alone: a file that a crash has filled with NULs takes no memory.
 */
final class LineCutter {
    private static final int CHUNK = 256 << 10;
    private static final int MAX_LINE = 256 << 20;

    private final LineFile.Lines lines;
    private byte[] bytes = new byte[CHUNK];
    private int held; // of a line that has not ended
    private boolean dropping; // the rest of that line
    private long end; // behind the last line that has
    private long read;

    /**
     * One that has read nothing.
     *
     * @param offset where it begins
     */
    LineCutter(long offset, LineFile.Lines lines) {
        this.lines = lines;
        this.end = offset;
        this.read = offset;
    }

    /** Hands over every line that has its line feed, and then what stands behind the last one. */
    LineFile.Position read(ReadableByteChannel channel, LineFile.Lines rest) throws IOException {
        int count = channel.read(ByteBuffer.wrap(bytes));
        while (count >= 0) {
            take(held + count);
            makeRoom();
            count = channel.read(ByteBuffer.wrap(bytes, held, bytes.length - held));
        }
        if (held > 0) {
            rest.accept(bytes, 0, held);
        }
        return new LineFile.Position(end, held > 0);
    }

    /** Hands over the lines that end behind what is held, and moves the rest to the front. */
    private void take(int to) {
        int start = 0;
        for (int i = ByteScan.lineFeed(bytes, held, to); i < to; i = ByteScan.lineFeed(bytes, start, to)) {
            lines.accept(bytes, start, dropping ? held : i - start);
            start = i + 1;
            end = read + start - held;
            dropping = false;
        }
        read += to - held;
        if (!dropping) {
            System.arraycopy(bytes, start, bytes, 0, to - start);
            held = to - start;
        }
    }

    private void makeRoom() {
        if (held == bytes.length) {
            int nul = indexOfNul();
            dropping = nul >= 0 || held >= MAX_LINE;
            if (dropping) {
                held = nul >= 0 ? nul + 1 : held - CHUNK;
            }
            bytes = Arrays.copyOf(bytes, dropping ? held + CHUNK : 2 * held);
        }
    }

    private int indexOfNul() {
        for (int i = 0; i < held; i++) {
            if (bytes[i] == 0) {
                return i;
            }
        }
        return -1;
    }
}
