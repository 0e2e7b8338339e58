package dev.rlm.journal.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The calls of a tool.
 *
 * @param names what the row is for, and the tool at last
 */
record ToolRow(List<String> names, CallFigures calls) {
    /** Those of all runs together; those of each row of runs where tools were asked for beside something else. */
    static List<ToolRow> of(Report report) {
        List<ToolRow> tools = new ArrayList<>();
        if (isByRow(report)) {
            report.here().rows().each((names, row) -> add(tools, names, row));
        } else {
            add(tools, List.of(), report.here().all());
        }
        return tools;
    }

    private static void add(List<ToolRow> tools, List<String> names, RowFigures row) {
        row.costs()
                .toolsByName()
                .forEach((tool, calls) -> tools.add(new ToolRow(
                        Stream.concat(names.stream(), Stream.of(tool)).toList(), calls)));
    }

    /** What the names are of. */
    static List<Dimension> dimensions(Report report) {
        Stream<Dimension> runs = isByRow(report) ? report.here().rows().dimensions().stream() : Stream.empty();
        return Stream.concat(runs, Stream.of(Dimension.TOOL)).toList();
    }

    private static boolean isByRow(Report report) {
        return report.by().contains(Dimension.TOOL) && report.by().size() > 1;
    }

    String tool() {
        return names.get(names.size() - 1);
    }

    Fields fields(Report report) {
        return Dimension.fields(dimensions(report), names)
                .put("calls", calls.calls())
                .put("failed", calls.failed())
                .put("error_rate", calls.errorRate())
                .put("runs", calls.runs())
                .percentiles("", calls.latencies());
    }
}
