package dev.rlm.journal.line;

import java.util.Arrays;

/**
 * Positions of the fields of objects in bytes that hold several objects. The fields are numbered in the order of the
 * bytes.
 */
final class FieldMarks {
    private static final int NAME = 0;
    private static final int NAME_END = 1;
    private static final int VALUE = 2;
    private static final int SIZE = 3;

    private int[] marks = new int[3 << 9];
    private int used;

    /** Forgets all. */
    void clear() {
        used = 0;
    }

    /** Returns the number of fields marked, which is the number of the next one. */
    int count() {
        return used / SIZE;
    }

    /** Marks a field: its name without the quotation marks, and where its value begins. */
    void add(int name, int nameEnd, int value) {
        if (used == marks.length) {
            marks = Arrays.copyOf(marks, 2 * used);
        }
        marks[used + NAME] = name;
        marks[used + NAME_END] = nameEnd;
        marks[used + VALUE] = value;
        used += SIZE;
    }

    /** Marks fields that others mark, in bytes that stand so much further behind. */
    void addAll(FieldMarks others, int first, int fields, int shift) {
        for (int field = first; field < first + fields; field++) {
            add(others.name(field) + shift, others.nameEnd(field) + shift, others.value(field) + shift);
        }
    }

    int name(int field) {
        return marks[field * SIZE + NAME];
    }

    int nameEnd(int field) {
        return marks[field * SIZE + NAME_END];
    }

    int value(int field) {
        return marks[field * SIZE + VALUE];
    }
}
