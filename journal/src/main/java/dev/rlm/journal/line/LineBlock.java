package dev.rlm.journal.line;

import dev.rlm.journal.format.segment.ByteScan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some lines of a file, told apart and checked: that can be done on any thread, and be read on another. Once they have been
 * read, it can take others: a journal's bytes would fill the heap again and again.
 */
public final class LineBlock {
    /** Stands for each line of a type that its choice does not want. */
    public static final Line UNWANTED = new Line(new LineHead("", "", 0, 0), new LineBlock(), 0, 0, 0, 0);

    private byte[] bytes = {};
    private int used; // by appended lines
    private long offset;
    private final FieldMarks marks = new FieldMarks();
    private final List<@Nullable Line> lines = new ArrayList<>();

    /** The bytes that it holds; for others to use once its lines have been read. */
    public byte[] bytes() {
        return bytes;
    }

    /**
     * Cuts and checks lines, each with its line feed, in place of those that it has. The bytes are no longer to be changed.
     *
     * @param place of the first one in its file's text
     * @param choice says which lines are checked further than their heads, and of which the fields are marked meanwhile
     */
    public LineBlock take(byte[] others, int to, long place, Choice choice) {
        bytes = others;
        offset = place;
        lines.clear();
        marks.clear();
        int from = 0;
        while (from < to) {
            int feed = ByteScan.lineFeed(bytes, from, to);
            add(from, feed, choice);
            from = feed + 1;
        }
        return this;
    }

    /** One line alone, without its line feed. */
    public static LineBlock ofOne(byte[] bytes, int from, int to) {
        return ofOne(bytes, from, to, from);
    }

    /** The same, with the place where it begins in its file's text. */
    public static LineBlock ofOne(byte[] bytes, int from, int to, long place) {
        LineBlock block = new LineBlock();
        block.bytes = bytes;
        block.offset = place - from;
        block.add(from, to, new Choice() {});
        return block;
    }

    /** Adds a copy of another block's line, which outlives that block. */
    public void append(Line line) {
        int length = line.to - line.from + 1; // with what delimits its last value
        if (bytes.length - used < length) {
            bytes = Arrays.copyOf(bytes, Math.max(used + length, 2 * bytes.length));
        }
        int first = marks.count();
        System.arraycopy(line.block.bytes, line.from, bytes, used, length - 1);
        marks.addAll(line.block.marks, line.firstField, line.fields, used - line.from);
        lines.add(new Line(line.head, this, used, used + length - 1, first, line.fields));
        used += length;
    }

    /** Returns how many bytes the appended lines take. */
    public int length() {
        return used;
    }

    private void add(int from, int to, Choice choice) {
        int first = marks.count();
        LineHead head = LineHead.unchecked(bytes, from, to);
        if (head == null) {
            head = LineHead.of(bytes, from, to - from, marks);
        } else if (!choice.wants(head.type())) {
            lines.add(UNWANTED);
            return;
        } else {
            boolean marked = choice.readsAll(head.type());
            head = JsonSyntax.endOfObject(bytes, from, to, marked ? marks : null) == to ? head : null;
        }
        lines.add(head == null ? null : new Line(head, this, from, to, first, marks.count() - first));
    }

    /** The lines in their order; {@code null} for each that is damaged, {@link #UNWANTED} for each that is that. */
    public List<@Nullable Line> lines() {
        return lines;
    }

    /** A whole line, of which so far the head has been read. */
    public static final class Line {
        private final LineHead head;
        private final LineBlock block;
        private final int from;
        private final int to;
        private final int firstField;
        private final int fields;
        private @Nullable Fields read;
        private long number;

        private Line(LineHead head, LineBlock block, int from, int to, int firstField, int fields) {
            this.head = head;
            this.block = block;
            this.from = from;
            this.to = to;
            this.firstField = firstField;
            this.fields = fields;
        }

        public LineHead head() {
            return head;
        }

        public void standsAt(long line) {
            number = line;
        }

        /** Returns its number in its file, from 0. */
        public long number() {
            return number;
        }

        /** Returns the offset in its file's text at which it begins. */
        public long offset() {
            return block.offset + from;
        }

        /** All its fields, to be asked for while the line is handed over: its bytes are used again. */
        public Fields read() {
            Fields known = read;
            if (known == null) {
                known = fields == 0
                        ? Fields.parse(block.bytes, from, to - from)
                        : new Fields(new LineFields(block.bytes, from, block.marks, firstField, fields));
                read = known;
            }
            return known;
        }
    }

    /** Says which lines are read. Called on any thread. */
    public interface Choice {
        /**
         * Returns whether lines of that type are wanted. Others are neither checked behind their heads nor handed over,
         * and damage in them is not counted.
         */
        default boolean wants(String type) {
            return true;
        }

        /** Returns whether nearly all lines of that type are read, and not their heads alone. */
        default boolean readsAll(String type) {
            return true;
        }
    }
}
