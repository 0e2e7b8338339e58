package dev.rlm.journal.format.segment;

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

    private final LineFile.Blocks blocks;
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
    LineCutter(long offset, LineFile.Blocks blocks) {
        this.blocks = blocks;
        this.end = offset;
        this.read = offset;
    }

    /** Hands over every line that has its line feed, and then what stands behind the last one. */
    LineFile.Position read(ReadableByteChannel channel, LineFile.Lines rest) throws IOException {
        boolean more = true;
        while (more) {
            more = fill(channel);
        }
        if (held > 0) {
            rest.accept(bytes, 0, held);
        }
        return new LineFile.Position(end, held > 0);
    }

    /** Reads as much as there is room for, and hands over its lines, also those in front of what cannot be read. */
    private boolean fill(ReadableByteChannel channel) throws IOException {
        ByteBuffer room = ByteBuffer.wrap(bytes, held, bytes.length - held);
        int count = 0;
        try {
            while (count >= 0 && room.hasRemaining()) {
                count = channel.read(room);
            }
        } finally {
            take(room.position());
        }
        makeRoom();
        return count >= 0;
    }

    /** Hands over the lines that end behind what is held, and holds the rest. */
    private void take(int to) throws IOException {
        read += to - held;
        int filled = dropping ? drop(to) : to;
        int whole = ByteScan.lastLineFeed(bytes, held, filled) + 1;
        if (whole > held) {
            end = read - (filled - whole);
            int rest = filled - whole;
            byte[] next = blocks.accept(bytes, whole);
            if (next.length < rest || next.length < CHUNK) {
                next = new byte[Math.max(CHUNK, 2 * rest)];
            }
            System.arraycopy(bytes, whole, next, 0, rest);
            bytes = next;
            held = rest;
        } else if (!dropping) {
            held = filled;
        }
    }

    /** Passes over what belongs to the line of which the beginning is held; where the bytes end then. */
    private int drop(int to) {
        int feed = ByteScan.lineFeed(bytes, held, to);
        dropping = feed == to;
        System.arraycopy(bytes, feed, bytes, held, to - feed);
        return held + to - feed;
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
