package dev.rlm.recorder;

import java.util.concurrent.Semaphore;

/**
 * Memory that lines may take, as shares of the heap. Small lines have theirs in every request; of large ones only one is
 * read and only one is parsed at a time, in the whole process. Safe for use by several threads.
 */
final class LineMemory {
    private static final int MAX_LINE = 64 << 20;
    private static final int LINES_IN_HEAP = 64;
    private static final int SMALL_LINES = 64;
    private static final int FACTOR = 16; // from a line's bytes to those of all its forms while it is recorded
    private static final int TEXT_FACTOR = FACTOR / 2;
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    private final int maxLine;
    private final Semaphore reading = new Semaphore(1, true);
    private final Semaphore parsing = new Semaphore(1, true); // last in order: who has it waits for no other

    /** The memory of a process with so many bytes of heap. */
    LineMemory(long heap) {
        long line = Math.min(MAX_LINE, heap / LINES_IN_HEAP);
        int unit = line >= MIB ? MIB : KIB;
        maxLine = (int) (line / unit) * unit;
    }

    /** The length of the longest line that is accepted, in bytes. */
    int maxLine() {
        return maxLine;
    }

    /** The length up to which a line is small, in bytes; a group of lines has no more. */
    int smallLine() {
        return maxLine / SMALL_LINES;
    }

    /** Says that a line is too long. */
    String tooLong() {
        return "the line is longer than " + text(maxLine);
    }

    private static String text(int bytes) {
        return bytes >= MIB ? bytes / MIB + " MiB" : bytes / KIB + " KiB";
    }

    /** Waits until no other large line is read, and until the last one is recorded. */
    void startLarge() {
        reading.acquireUninterruptibly();
    }

    /** Lets another large line be read. */
    void endLarge() {
        reading.release();
    }

    /** Opens the share of a line of that length, which is parsed next. */
    Share share(int length) {
        Share share = new Share();
        share.take((long) length * TEXT_FACTOR);
        return share;
    }

    /** Memory of one line, from its parsing until it is recorded. Belongs to one thread. */
    final class Share implements AutoCloseable {
        private long taken;
        private boolean large;

        /**
         * Takes more, and waits for it where the line becomes a large one.
         *
         * @throws LineRefusedException if it is more than a line may have
         */
        void take(long bytes) {
            taken += bytes;
            if (taken > (long) maxLine * FACTOR) {
                close();
                throw new LineRefusedException("the line holds too many values: as objects they take more than "
                        + text(maxLine) + " times " + FACTOR);
            } else if (!large && taken > (long) smallLine() * FACTOR) {
                parsing.acquireUninterruptibly();
                large = true;
            }
        }

        @Override
        public void close() {
            if (large) {
                large = false;
                parsing.release();
            }
        }
    }
}
