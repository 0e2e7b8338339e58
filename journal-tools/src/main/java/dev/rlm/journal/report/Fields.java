package dev.rlm.journal.report;

import dev.rlm.cli.terminal.Printable;
import dev.rlm.json.Json;
import dev.rlm.sinks.schema.statistics.Estimate;
import dev.rlm.sinks.schema.statistics.Lengths;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Named values as programs read them, in JSON or as a line of CSV. Times are in seconds; {@code null} stands for none, and for NaN. */
final class Fields {
    private static final double NANOS = 1e9;

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

    /** Adds a number, a text, a length of time, other fields, or a stream of any of them. */
    Fields put(String name, @Nullable Object value) {
        values.put(name, plain(value));
        return this;
    }

    /** Adds a text, unless it is empty: then {@code null} stands for it. */
    Fields text(String name, String text) {
        return put(name, text.isEmpty() ? null : text);
    }

    /** Adds what adds up over the runs of a row. */
    Fields counts(RowFigures row, Count... counts) {
        for (Count count : counts) {
            put(count.field(), row.count(count));
        }
        return this;
    }

    /** Adds an estimate with its standard error, and over how many runs it is. */
    Fields estimate(String name, Estimate estimate) {
        return value(name, estimate).put(name + "_runs", estimate.count());
    }

    /** Adds an estimate with its standard error. */
    Fields value(String name, Estimate estimate) {
        return put(name, estimate.value()).put(name + "_se", estimate.error());
    }

    Fields percentiles(String prefix, Lengths lengths) {
        return put(prefix + "p50", lengths.percentile(50)).put(prefix + "p95", lengths.percentile(95));
    }

    Fields putAll(Fields others) {
        values.putAll(others.values);
        return this;
    }

    private static @Nullable Object plain(@Nullable Object value) {
        if (value instanceof Fields fields) {
            return fields.values;
        } else if (value instanceof Stream<?> stream) {
            return stream.map(Fields::plain).toList();
        } else if (value instanceof Duration length) {
            return length.toNanos() / NANOS;
        }
        return value instanceof Double number && number.isNaN() ? null : value;
    }

    /** Prints them as one JSON object on a line of its own. */
    void printJson(PrintWriter out) {
        out.println(Printable.json(Json.text(values)));
    }

    /** Prints their names as the head of a table in CSV (RFC 4180). */
    void printHead(PrintWriter out) {
        print(out, values.keySet());
    }

    /** Prints them as a line of CSV. */
    void printLine(PrintWriter out) {
        print(out, values.values());
    }

    private static void print(PrintWriter out, Collection<? extends @Nullable Object> cells) {
        out.print(cells.stream()
                        .map(cell -> cell == null ? "" : quoted(Printable.line(cell.toString())))
                        .collect(Collectors.joining(","))
                + "\r\n");
    }

    private static String quoted(String cell) {
        return cell.matches(".*[\",].*") || !cell.equals(cell.strip())
                ? "\"" + cell.replace("\"", "\"\"") + "\""
                : cell;
    }
}
