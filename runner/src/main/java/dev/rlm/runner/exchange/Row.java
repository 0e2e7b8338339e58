package dev.rlm.runner.exchange;

import dev.rlm.sinks.event.Content;
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

    Row add(@Nullable Number value) {
        boolean absent = value == null || (value instanceof Double number && number.isNaN());
        cells.add(absent ? null : String.valueOf(value));
        return this;
    }

    Row add(@Nullable Boolean value) {
        cells.add(value == null ? null : value.toString());
        return this;
    }

    Row add(@Nullable Instant value) {
        cells.add(value == null ? null : JsonLines.time(value));
        return this;
    }

    /** In seconds. */
    Row add(@Nullable Duration value) {
        cells.add(value == null ? null : String.valueOf(value.toNanos() / 1e9));
        return this;
    }

    Row add(@Nullable Content value) {
        return add(value == null ? null : value.text());
    }

    Row add(@Nullable String value) {
        boolean computed =
                forSpreadsheets && value != null && !value.isEmpty() && FORMULA.indexOf(value.charAt(0)) >= 0;
        cells.add(value == null || value.isEmpty() ? null : computed ? "'" + value : value);
        return this;
    }

    /** As JSON. */
    Row add(Map<String, ?> value) {
        return add(value.isEmpty() ? null : JsonLines.text(value));
    }
}
