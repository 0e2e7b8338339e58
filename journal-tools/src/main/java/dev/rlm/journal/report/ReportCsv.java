package dev.rlm.journal.report;

import dev.rlm.cli.terminal.Printable;
import dev.rlm.sinks.schema.statistics.Estimate;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes the rows of the report as CSV (RFC 4180); with {@link Dimension#TOOL} those of the tools. */
final class ReportCsv {
    private ReportCsv() {}

    static void print(Report report, PrintWriter out) {
        if (report.by().contains(Dimension.TOOL)) {
            head(out, ToolRow.dimensions(report), RowFields.of(new CallFigures()));
            ToolRow.of(report)
                    .forEach(row ->
                            line(out, row.names(), RowFields.of(row.calls()).values()));
        } else {
            head(out, report.here().dimensions(), fields(report, new RowFigures(report.rule())));
            report.here()
                    .rows()
                    .forEach((key, row) ->
                            line(out, key.values(), fields(report, row).values()));
        }
    }

    private static void head(PrintWriter out, List<Dimension> dimensions, Map<String, ?> fields) {
        line(out, Stream.concat(dimensions.stream().map(Dimension::field), fields.keySet().stream()));
    }

    private static Map<String, @Nullable Number> fields(Report report, RowFigures row) {
        Map<String, @Nullable Number> fields = new LinkedHashMap<>(RowFields.of(row));
        for (int k : report.ks()) {
            Estimate any = row.passes().groups().anyOf(k);
            Estimate all = row.passes().groups().allOf(k);
            fields.put("pass_at_" + k, finite(any.value()));
            fields.put("pass_at_" + k + "_se", finite(any.error()));
            fields.put("pass_hat_" + k, finite(all.value()));
            fields.put("pass_hat_" + k + "_se", finite(all.error()));
            fields.put("pass_" + k + "_groups", any.count());
            fields.put("pass_" + k + "_samples", any.clusters());
        }
        return fields;
    }

    private static @Nullable Double finite(double value) {
        return Double.isNaN(value) ? null : value;
    }

    /** Prints a line of names and figures. */
    static void line(PrintWriter out, List<String> names, Collection<@Nullable Number> figures) {
        List<String> cells = new ArrayList<>(names);
        figures.forEach(figure -> cells.add(figure == null ? "" : figure.toString()));
        line(out, cells.stream());
    }

    /** Prints a line of it. */
    static void line(PrintWriter out, Stream<String> cells) {
        out.print(cells.map(ReportCsv::quoted).collect(Collectors.joining(",")) + "\r\n");
    }

    private static String quoted(String cell) {
        String safe = Printable.line(cell);
        return safe.matches(".*[\",].*") || !safe.equals(safe.strip())
                ? "\"" + safe.replace("\"", "\"\"") + "\""
                : safe;
    }
}
