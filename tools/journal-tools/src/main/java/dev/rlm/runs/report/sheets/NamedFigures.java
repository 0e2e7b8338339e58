package dev.rlm.runs.report.sheets;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.json.Json;
import dev.rlm.sinks.schema.statistics.Estimate;
import dev.rlm.sinks.schema.statistics.Lengths;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Figures by their names, in order: as members of a JSON object, as a line of CSV, or as what columns of a table show. For
 * programs times are in seconds, and {@code null} stands for none and for NaN; people see texts as {@link Numbers#text} makes
 * them, unless others are given.
 */
public final class NamedFigures {
    private static final double NANOS = 1e9;

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();
    private final Map<String, String> texts = new HashMap<>(); // where they are given

    /** Adds a number, a text, a length of time, other fields, or a stream of any of them. */
    public NamedFigures put(String name, @Nullable Object value) {
        values.put(
                name,
                value instanceof Stream<?> stream
                        ? stream.map(NamedFigures::plain).toList()
                        : value);
        return this;
    }

    /** Adds a value that people see as this text. */
    public NamedFigures put(String name, @Nullable Object value, String text) {
        texts.put(name, text);
        return put(name, value);
    }

    /** Adds a text, unless it is empty: then {@code null} stands for it. */
    public NamedFigures name(String name, String text) {
        return put(name, text.isEmpty() ? null : text);
    }

    /** Adds an estimate with its standard error. */
    public NamedFigures estimate(String name, Estimate estimate) {
        return put(name, estimate.value(), Numbers.of(estimate)).put(name + "_se", estimate.error());
    }

    public NamedFigures percentiles(String prefix, Lengths lengths) {
        return put(prefix + "p50", lengths.percentile(50)).put(prefix + "p95", lengths.percentile(95));
    }

    public NamedFigures putAll(NamedFigures others) {
        values.putAll(others.values);
        texts.putAll(others.texts);
        return this;
    }

    /** Returns a value as people see it. */
    public String text(String name) {
        if (!values.containsKey(name)) {
            throw new IllegalArgumentException("no figure " + name);
        }
        String text = texts.get(name);
        return text == null ? Numbers.text(values.get(name)) : text;
    }

    private static @Nullable Object plain(@Nullable Object value) {
        if (value instanceof NamedFigures fields) {
            Map<String, @Nullable Object> members = new LinkedHashMap<>();
            fields.values.forEach((name, member) -> members.put(name, plain(member)));
            return members;
        } else if (value instanceof Duration length) {
            return length.toNanos() / NANOS;
        }
        return value instanceof Double number && number.isNaN() ? null : value;
    }

    /** Prints them as one JSON object on a line of its own. */
    public void printJson(PrintWriter out) {
        out.println(Printable.json(Json.text(plain(this))));
    }

    /** Prints their names as the head of a table in CSV (RFC 4180). */
    public void printHead(PrintWriter out) {
        print(out, values.keySet());
    }

    /** Prints them as a line of CSV. */
    public void printLine(PrintWriter out) {
        print(out, values.values());
    }

    private static void print(PrintWriter out, Collection<? extends @Nullable Object> cells) {
        out.print(cells.stream().map(NamedFigures::cell).collect(Collectors.joining(",")) + "\r\n");
    }

    private static String cell(@Nullable Object value) {
        Object plain = plain(value);
        String cell = plain == null ? "" : Printable.line(plain.toString());
        return cell.matches(".*[\",].*") || !cell.equals(cell.strip())
                ? "\"" + cell.replace("\"", "\"\"") + "\""
                : cell;
    }
}
