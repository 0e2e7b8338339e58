package dev.rlm.journal.report;

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
        Side side = report.here();
        return isByRow(report)
                ? side.rows().entrySet().stream()
                        .flatMap(row -> of(row.getKey().values(), row.getValue()))
                        .toList()
                : of(List.of(), side.all()).toList();
    }

    /** What the names are of. */
    static List<Dimension> dimensions(Report report) {
        Stream<Dimension> runs = isByRow(report) ? report.here().dimensions().stream() : Stream.empty();
        return Stream.concat(runs, Stream.of(Dimension.TOOL)).toList();
    }

    private static boolean isByRow(Report report) {
        return report.by().contains(Dimension.TOOL) && report.by().size() > 1;
    }

    private static Stream<ToolRow> of(List<String> key, RowFigures row) {
        return row.costs().toolsByName().entrySet().stream()
                .map(tool -> new ToolRow(
                        Stream.concat(key.stream(), Stream.of(tool.getKey())).toList(), tool.getValue()));
    }

    String tool() {
        return names.get(names.size() - 1);
    }
}
