package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.jsonl.segment.DamagedFileException;
import dev.rlm.sinks.jsonl.segment.Segment;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One reading of writers' files of events, as they are now. It tells whole lines from damaged ones, for all who read a
 * journal alike, and counts the damaged ones: every line that is not one whole JSON object with a beginning of its own;
 * what stands behind the last line feed of a writer that is gone, unless it is a whole line; the rest of a file that cannot
 * be read on; and a whole line that its reader refuses because it does not tell what its event must.
 */
final class WriterLines {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    private final Reader reader;
    private final List<String> unreadable = new ArrayList<>();
    private long damaged;
    private long lines; // of the segment

    WriterLines(Reader reader) {
        this.reader = reader;
    }

    /** How many damaged lines there were so far. */
    long damaged() {
        return damaged;
    }

    /**
     * Reads what one writer has recorded.
     *
     * @param live whether the writer lives, which was asked before: it may be in the middle of its last line
     */
    void read(Path writer, boolean live) throws IOException {
        for (Segment segment : segments(writer)) {
            try {
                read(segment, live);
            } catch (ClosedByInterruptException e) {
                throw e;
            } catch (IOException e) {
                unreadable(segment, e);
            }
        }
    }

    private void unreadable(Segment segment, IOException e) {
        damaged++;
        unreadable.add(segment + " can be read no further than its first " + lines + " lines: " + e.getMessage());
    }

    /** The files that cannot be read to their ends, and why; a line each. */
    List<String> unreadable() {
        return unreadable;
    }

    /** Says them in the log: as one damaged line each of them is counted too low. */
    void warnOfUnreadable() {
        unreadable.forEach(LOG::warn);
    }

    private List<Segment> segments(Path writer) throws IOException {
        try {
            return Segment.of(writer);
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            damaged++;
            return List.of();
        }
    }

    /** Reads what a writer that died has recorded, for somebody who must not miss what a plain file holds. */
    void readAll(Path writer) throws IOException {
        for (Segment segment : Segment.of(writer)) {
            try {
                read(segment, false);
            } catch (DamagedFileException e) {
                unreadable(segment, e);
            }
        }
    }

    private void read(Segment segment, boolean live) throws IOException {
        lines = 0;
        segment.read(
                0,
                (bytes, from, length) -> line(segment, bytes, from, length),
                (bytes, from, length) -> rest(segment, bytes, from, length, live));
    }

    private void line(Segment segment, byte[] bytes, int from, int length) {
        long number = lines++;
        LineHead head = LineHead.of(bytes, from, length);
        if (head == null) {
            damaged++;
            return;
        }
        Line line = new Line(head, segment, number, bytes, from, length);
        try {
            reader.line(segment, line);
        } catch (JournalException | ReplayPass.Stopped e) {
            throw e;
        } catch (RuntimeException e) {
            damaged++;
        }
        reader.passed(line);
    }

    /** A line without its line feed, which may be whole nevertheless, as recovery will find. */
    private void rest(Segment segment, byte[] bytes, int from, int length, boolean live) {
        int end = LineHead.wholeEnd(bytes, from, from + length);
        if (end > from) {
            line(segment, bytes, from, end - from);
        }
        if (end != from + length && !live) {
            damaged++;
        }
    }

    /** Takes whole lines. */
    @FunctionalInterface
    interface Reader {
        /**
         * Takes a line, which is to be read here or never.
         *
         * @throws RuntimeException if it does not tell what its event must
         */
        void line(Segment segment, Line line);

        /** Told when a line is over, whether it was taken or refused. What this throws is nobody's damage. */
        default void passed(Line line) {}
    }

    /** A whole line, of which so far the head has been read. */
    static final class Line {
        private final LineHead head;
        private final Segment segment;
        private final long number;
        private final byte[] bytes;
        private final int from;
        private final int length;
        private @Nullable Fields fields;

        private Line(LineHead head, Segment segment, long number, byte[] bytes, int from, int length) {
            this.head = head;
            this.segment = segment;
            this.number = number;
            this.bytes = bytes;
            this.from = from;
            this.length = length;
        }

        LineHead head() {
            return head;
        }

        /** Where it stands. */
        Place place() {
            return new Place(segment, number);
        }

        /** All its fields. */
        Fields read() {
            Fields known = fields;
            if (known == null) {
                known = Fields.parse(bytes, from, length);
                fields = known;
            }
            return known;
        }
    }
}
