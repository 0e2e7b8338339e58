package dev.rlm.journal.search;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Result of a search in a piece of a segment, whose first and last lines may be cut. One thread fills it in, and then another reads it. */
final class SearchedPiece<T> {
    private static final byte[] NOTHING = {};

    private final boolean first;
    private final boolean mayGrow;
    private final List<Found<T>> found = new ArrayList<>();
    private long damaged;
    private boolean readable = true;
    private byte[] head = NOTHING;
    private byte @Nullable [] tail = NOTHING;

    /**
     * A piece in which nothing was found so far.
     *
     * @param first whether the segment begins with it
     * @param mayGrow whether the segment does
     */
    SearchedPiece(boolean first, boolean mayGrow) {
        this.first = first;
        this.mayGrow = mayGrow;
    }

    void add(Found<T> another) {
        found.add(another);
    }

    void addDamaged() {
        damaged++;
    }

    void setUnreadable() {
        addDamaged();
        readable = false;
    }

    /**
     * Sets its cut lines.
     *
     * @param end of a line that begins before the piece
     * @param beginning of a line that ends behind it, or behind the last line feed of all; {@code null} where the end is one of
     *     that line too
     */
    void setCut(byte[] end, byte @Nullable [] beginning) {
        head = end;
        tail = beginning;
    }

    boolean isFirst() {
        return first;
    }

    boolean mayGrow() {
        return mayGrow;
    }

    boolean isReadable() {
        return readable;
    }

    byte[] head() {
        return head;
    }

    byte @Nullable [] tail() {
        return tail;
    }

    List<Found<T>> found() {
        return found;
    }

    long damaged() {
        return damaged;
    }

    /** Something in the event of a run that has the number. */
    record Found<T>(String runId, long seq, T what) {}
}
