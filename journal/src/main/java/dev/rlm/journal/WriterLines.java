package dev.rlm.journal;

import dev.rlm.journal.format.segment.DamagedFileException;
import dev.rlm.journal.format.segment.LineFile;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.journal.line.BlocksAhead;
import dev.rlm.journal.line.LineBlock;
import dev.rlm.journal.line.LineHead;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One reading of writers' files of events, as they are now. It tells whole lines from damaged ones, for all who read a
 * journal alike, and counts the damaged ones: every line that is not one whole JSON object with a beginning of its own;
 * what stands behind the last line feed of a file that no writer is at any more, unless it is a whole line; the rest of a file that cannot
 * be read on, or is no regular file; and a whole line that its reader refuses because it does not tell what its event must.
 */
public final class WriterLines {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.journal");

    private static final int KEPT = 1 << 20; // bytes; more an unusually long line has taken

    private final Reader reader;
    private final SegmentReader segmentReader;
    private final BlocksAhead<LineBlock> ahead = new BlocksAhead<>();
    private final Queue<LineBlock> spent = new ArrayDeque<>();
    private final List<String> unreadable = new ArrayList<>();
    private long damaged;
    private long lines; // of the segment
    private long offset; // of the next block in it

    public WriterLines(Reader reader) {
        this(reader, Segment::read);
    }

    /** One that reads segments in its own way. */
    public WriterLines(Reader reader, SegmentReader segments) {
        this.reader = reader;
        this.segmentReader = segments;
    }

    /** Returns the number of damaged lines so far. */
    public long damaged() {
        return damaged;
    }

    /**
     * Reads what one writer has recorded.
     *
     * @param live whether the writer lives, which was asked before: it may be in the middle of its last line
     */
    public void read(Path writer, boolean live) throws IOException {
        List<Segment> segments = segments(writer);
        for (Segment segment : segments) {
            boolean mayGrow = live && segment.equals(segments.get(segments.size() - 1));
            try {
                read(segment, mayGrow);
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
    public List<String> unreadable() {
        return unreadable;
    }

    /** Says them in the log: as one damaged line each of them is counted too low. */
    public void warnOfUnreadable() {
        unreadable.forEach(LOG::warn);
    }

    private List<Segment> segments(Path writer) throws IOException {
        try {
            return segmentsOf(writer);
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            damaged++;
            return List.of();
        }
    }

    /** Returns a writer's segments. Each thing that has a segment's name and is none counts as one damaged line. */
    private List<Segment> segmentsOf(Path writer) throws IOException {
        return Segment.of(writer, impostor -> {
            damaged++;
            unreadable.add(impostor + " is not a regular file, and is passed over");
        });
    }

    /** Reads what a writer that died has recorded, for somebody who must not miss what a plain file holds. */
    public void readAll(Path writer) throws IOException {
        for (Segment segment : segmentsOf(writer)) {
            try {
                read(segment, false);
            } catch (DamagedFileException e) {
                unreadable(segment, e);
            }
        }
    }

    private void read(Segment segment, boolean mayGrow) throws IOException {
        IndexCache.Reading index = reader.begin(segment, mayGrow);
        lines = index.known().lines();
        offset = index.known().end();
        if (index.isComplete()) {
            return;
        }
        long before = damaged;
        boolean whole = false;
        try {
            LineFile.Position end = segmentReader.read(
                    segment,
                    offset,
                    (bytes, to) -> block(segment, bytes, to),
                    (bytes, from, length) -> rest(bytes, from, from + length, mayGrow));
            whole = !mayGrow || !end.torn();
            takeAll(segment);
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            takeAll(segment);
            throw e;
        } finally {
            ahead.clear();
            reader.finished(offset, lines, damaged - before, whole);
        }
    }

    /** Takes the bytes into a block whose lines have been read, and gives those back that it held. */
    private byte[] block(Segment segment, byte[] bytes, int to) throws IOException {
        LineBlock block = spent.isEmpty() ? new LineBlock() : spent.remove();
        byte[] others = block.bytes();
        long from = offset;
        offset += to;
        ahead.add(() -> block.take(bytes, to, from, reader));
        while (ahead.isFull()) {
            take(segment, ahead.next());
        }
        return others;
    }

    /** A line without its line feed, which may be whole nevertheless, as recovery will find. */
    private void rest(byte[] bytes, int from, int to, boolean mayGrow) {
        int end = LineHead.wholeEnd(bytes, from, to);
        if (end > from) {
            long place = offset;
            ahead.add(() -> LineBlock.ofOne(bytes, from, end, place));
        }
        if (end != to && !mayGrow) {
            damaged++;
        }
    }

    private void takeAll(Segment segment) throws IOException {
        while (!ahead.isEmpty()) {
            take(segment, ahead.next());
        }
    }

    private void take(Segment segment, LineBlock block) throws IOException {
        for (LineBlock.Line line : block.lines()) {
            long number = lines++;
            if (line == null) {
                damaged++;
            } else {
                if (line != LineBlock.UNWANTED) {
                    line.standsAt(number);
                    take(segment, line);
                }
                reader.passed(segment, number);
            }
        }
        if (block.bytes().length <= KEPT) {
            spent.add(block);
        }
    }

    private void take(Segment segment, LineBlock.Line line) {
        try {
            reader.line(segment, line);
        } catch (JournalException | ReplayStoppedException e) {
            throw e;
        } catch (RuntimeException e) {
            damaged++;
        }
    }

    /** Reads a segment from a place in its text to its end, as {@link Segment#read} does. */
    @FunctionalInterface
    interface SegmentReader {
        public LineFile.Position read(Segment segment, long offset, LineFile.Blocks blocks, LineFile.Lines rest)
                throws IOException;
    }

    /** Takes whole lines. */
    @FunctionalInterface
    public interface Reader extends LineBlock.Choice {
        /**
         * Takes a line, which is to be read here or never: its bytes, and all fields that were not asked for, are then others.
         *
         * @throws RuntimeException if it does not tell what its event must
         */
        void line(Segment segment, LineBlock.Line line);

        /** Told that a segment is read next; where an index of it is known, from its end on. */
        default IndexCache.Reading begin(Segment segment, boolean mayGrow) {
            return IndexCache.NONE.read(segment, mayGrow);
        }

        /**
         * Told that the segment has been read as far as it can be.
         *
         * @param end of the last line that has its line feed, in the segment's text
         * @param lines number of lines, damaged ones included
         * @param damagedLines number of damaged lines among those that were read now
         * @param whole whether nothing follows, or may follow later on, of which part was read now
         */
        default void finished(long end, long lines, long damagedLines, boolean whole) {}

        /**
         * Told when a line is over that is not known to be damaged, whether it was taken, refused, or not wanted. An
         * exception thrown here does not count as damage.
         *
         * @param line its number in the segment
         */
        default void passed(Segment segment, long line) throws IOException {}
    }
}
