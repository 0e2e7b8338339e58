package dev.rlm.journal.search;

import java.util.ArrayDeque;
import java.util.Deque;

/** The line that two or more pieces of a segment share, put together while they come, the last one first. */
final class CutLine<T> {
    private static final int LONGEST = 256 << 20; // bytes; as where lines are read in their order

    private final Deque<byte[]> parts = new ArrayDeque<>();
    private long length;
    private boolean atEnd = true; // no line feed was behind it
    private boolean lost; // a part of it

    /** Takes the next piece, and searches the line that ends behind it. */
    SearchedPiece<T> take(SearchedPiece<T> piece, SearchedLines<T> lines) {
        SearchedPiece<T> line = new SearchedPiece<>(false, piece.mayGrow());
        byte[] beginning = piece.tail();
        if (!piece.isReadable()) {
            begin(true, false);
        } else if (beginning == null) {
            add(piece.head(), line);
        } else {
            add(beginning, line);
            search(lines, line);
            begin(false, false);
            add(piece.head(), line);
        }
        if (piece.isFirst()) {
            begin(false, true);
        }
        return line;
    }

    private void begin(boolean withoutEnd, boolean atTheEnd) {
        parts.clear();
        length = 0;
        lost = withoutEnd;
        atEnd = atTheEnd;
    }

    /** NULs are what a crash leaves, and are no line: they take no memory. */
    private void add(byte[] part, SearchedPiece<T> line) {
        boolean isNone = length + part.length > LONGEST || (part.length > 0 && part[0] == 0);
        if (isNone && !lost) {
            line.addDamaged();
            parts.clear();
            lost = true;
        } else if (!lost) {
            parts.addFirst(part);
            length += part.length;
        }
    }

    private void search(SearchedLines<T> lines, SearchedPiece<T> line) {
        if (lost || length == 0) {
            return;
        }
        byte[] bytes = new byte[(int) length];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, bytes, at, part.length);
            at += part.length;
        }
        if (atEnd) {
            lines.inRest(bytes, line);
        } else {
            lines.in(bytes, 0, bytes.length, line);
        }
    }
}
