package dev.rlm.journal.exchange;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A line of a table while it is filled, cell by cell. What is absent is an empty cell. */
final class Row {
    private static final String FORMULA = "=+-@\t\r";

    private final boolean forSpreadsheets;
    private final List<@Nullable String> cells = new ArrayList<>();

    /**
     * A row without cells.
     *
     * @param forSpreadsheets whether to put an apostrophe before a text that a spreadsheet would compute
     */
    Row(boolean forSpreadsheets) {
        this.forSpreadsheets = forSpreadsheets;
    }

    List<@Nullable String> cells() {
        return cells;
    }

    /** A value: durations in seconds, lists and maps as JSON. */
    void add(@Nullable Object value) {
        if (value instanceof Duration duration) {
            cells.add(String.valueOf(duration.toNanos() / 1e9));
        } else if (value instanceof Instant time) {
            cells.add(JsonLines.time(time));
        } else if (value instanceof Number number) {
            cells.add(Double.isNaN(number.doubleValue()) ? null : number.toString());
        } else if (value instanceof Boolean flag) {
            cells.add(flag.toString());
        } else if (value instanceof Map<?, ?> map) {
            addText(map.isEmpty() ? "" : JsonLines.text(map));
        } else {
            addText(value == null ? "" : value.toString());
        }
    }

    private void addText(String text) {
        boolean computed = forSpreadsheets && !text.isEmpty() && FORMULA.indexOf(text.charAt(0)) >= 0;
        cells.add(text.isEmpty() ? null : computed ? "'" + text : text);
    }
}
