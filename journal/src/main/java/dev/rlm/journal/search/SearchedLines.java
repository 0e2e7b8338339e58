package dev.rlm.journal.search;

import dev.rlm.journal.JournalException;
import dev.rlm.journal.JournalScan;
import dev.rlm.journal.format.JournalHeader;
import dev.rlm.journal.format.segment.ByteScan;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.SegmentPieces;
import dev.rlm.journal.line.EventReader;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.LineBlock;
import dev.rlm.journal.line.LineHead;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Search in lines as bytes: of those that hold the literal it reads the events, and asks the finder. Safe for use by several threads. */
final class SearchedLines<T> {
    private final JournalSearch.Finder<T> finder;
    private final LiteralScan literal;

    SearchedLines(JournalSearch.Finder<T> finder) {
        this.finder = finder;
        this.literal = new LiteralScan(finder.literal(), finder.ignoresCase());
    }

    /** Searches a piece, but for the lines that it cuts. */
    SearchedPiece<T> in(Segment segment, SegmentPieces pieces, int number, boolean mayGrow) {
        SearchedPiece<T> searched = new SearchedPiece<>(number == 0, mayGrow);
        try {
            byte[] bytes = pieces.read(number);
            int begin = 0;
            if (number == 0) {
                checkVersion(segment, bytes, bytes.length, searched);
            } else {
                begin = ByteScan.lineFeed(bytes, 0, bytes.length) + 1;
            }
            if (begin > bytes.length) {
                searched.setCut(bytes, null);
            } else {
                int end = ByteScan.lastLineFeed(bytes, begin, bytes.length) + 1;
                in(bytes, begin, end, searched);
                searched.setCut(
                        Arrays.copyOf(bytes, Math.max(0, begin - 1)), Arrays.copyOfRange(bytes, end, bytes.length));
            }
        } catch (IOException e) {
            searched.setUnreadable();
        }
        return searched;
    }

    /** Searches a segment that can be read from its beginning alone. */
    SearchedPiece<T> in(Segment segment) {
        SearchedPiece<T> searched = new SearchedPiece<>(true, false);
        try {
            segment.read(
                    0,
                    (bytes, to) -> {
                        checkVersion(segment, bytes, to, searched);
                        in(bytes, 0, to, searched);
                        return bytes;
                    },
                    (bytes, from, length) -> inRest(Arrays.copyOfRange(bytes, from, from + length), searched));
        } catch (IOException e) {
            searched.setUnreadable();
        }
        return searched;
    }

    /** Checks the version that a segment's first line tells. */
    private void checkVersion(Segment segment, byte[] bytes, int to, SearchedPiece<T> searched) {
        LineBlock.Line line = LineBlock.ofOne(bytes, 0, ByteScan.lineFeed(bytes, 0, to))
                .lines()
                .get(0);
        if (line != null && line.head().type().equals(JournalHeader.TYPE)) {
            try {
                JournalScan.checkVersion(segment, line.read());
            } catch (JournalException e) {
                throw e;
            } catch (RuntimeException e) {
                searched.addDamaged();
            }
        }
    }

    /** Searches whole lines; the last may lack its line feed. */
    void in(byte[] bytes, int from, int to, SearchedPiece<T> searched) {
        int at = from;
        while (at < to) {
            int found = literal.find(bytes, at, to);
            int end = ByteScan.lineFeed(bytes, found, to);
            if (found < to) {
                line(bytes, ByteScan.lastLineFeed(bytes, at, found) + 1, end, searched);
            }
            at = end + 1;
        }
    }

    /** Searches what stands behind the last line feed of a segment, which may be a whole line nevertheless. */
    void inRest(byte[] bytes, SearchedPiece<T> searched) {
        if (literal.find(bytes, 0, bytes.length) < bytes.length) {
            int end = LineHead.wholeEnd(bytes, 0, bytes.length);
            if (end > 0) {
                line(bytes, 0, end, searched);
            }
            if (end != bytes.length && !searched.mayGrow()) {
                searched.addDamaged();
            }
        }
    }

    private void line(byte[] bytes, int from, int to, SearchedPiece<T> searched) {
        LineBlock.Line line = LineBlock.ofOne(bytes, from, to).lines().get(0);
        if (line == null) {
            searched.addDamaged();
        } else if (line.head().isOfRun()
                && !line.head().runId().isEmpty()
                && finder.wants(line.head().runId())) {
            RunEvent event = event(line.read());
            T what = event == null ? null : finder.find(event);
            if (event == null) {
                searched.addDamaged();
            } else if (what != null) {
                searched.add(new SearchedPiece.Found<>(line.head().runId(), event.seq(), what));
            }
        }
    }

    /** The event; {@code null} where the line does not tell what it must. */
    private static @Nullable RunEvent event(Fields line) {
        try {
            return EventReader.readAlone(line);
        } catch (RuntimeException e) {
            return null;
        }
    }
}
