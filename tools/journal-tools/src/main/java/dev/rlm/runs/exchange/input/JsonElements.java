package dev.rlm.runs.exchange.input;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The elements of a JSON list that is all of a text, one after the other: no more than one of them is held. The text is in
 * Latin-1, which keeps every byte as it is.
 */
public final class JsonElements {
    private static final int MAX_BLANKS = 1 << 12; // before the list
    private static final String BLANKS = " \t\r\n";
    private static final int END = -1;

    private final StringBuilder text = new StringBuilder(); // of the element that is read
    private final JsonNesting nesting = new JsonNesting();

    private JsonElements() {}

    /** Returns whether a list begins here; the reader then stands within it, else where it stood. */
    public static boolean begin(BufferedReader reader) throws IOException {
        reader.mark(MAX_BLANKS);
        for (int i = 0; i < MAX_BLANKS; i++) {
            int next = reader.read();
            if (next == '[') {
                return true;
            } else if (next == END || BLANKS.indexOf(next) < 0) {
                break;
            }
        }
        reader.reset();
        return false;
    }

    /** Reads all elements; what is no list is told in the place of the element where that shows. */
    public static void read(BufferedReader reader, Records records) throws IOException {
        int number = 1;
        JsonElements elements = new JsonElements();
        int end = elements.next(reader);
        for (; end == ','; end = elements.next(reader)) {
            elements.give(number++, records);
        }
        if (end == END) {
            bad(number, "a list that ends, found the end of the text", records);
            return;
        } else if (number > 1 || !elements.text.toString().isBlank()) {
            elements.give(number, records);
        }
        for (int behind = reader.read(); behind != END; behind = reader.read()) {
            if (BLANKS.indexOf(behind) < 0) {
                bad(number, "nothing behind the list", records);
                return;
            }
        }
    }

    private static void bad(int number, String expected, Records records) {
        records.accept("element " + number, () -> {
            throw new BadRecordException(expected);
        });
    }

    private void give(int number, Records records) {
        byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
        records.accept("element " + number, () -> JsonObject.parse(bytes));
    }

    /** Reads an element; returns what ends it. */
    private int next(BufferedReader reader) throws IOException {
        text.setLength(0);
        text.trimToSize();
        for (int next = reader.read(); next != END; next = reader.read()) {
            if (nesting.isOutside() && (next == ',' || next == ']')) {
                return next;
            }
            text.append((char) next);
            RecordSize.check(text.length());
            nesting.follow(next);
        }
        return END;
    }
}
