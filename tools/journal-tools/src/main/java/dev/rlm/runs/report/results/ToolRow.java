package dev.rlm.runs.report.results;

import dev.rlm.runs.report.figures.CallFigures;
import dev.rlm.runs.report.figures.Dimension;
import dev.rlm.runs.report.figures.RowFigures;
import dev.rlm.runs.report.sheets.NamedFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The calls of a tool.
 *
 * @param names what the row is for, but for the tool
 */
record ToolRow(NamedFigures names, String tool, CallFigures calls) {
    /** Those of all runs together; those of each row of runs where tools were asked for beside something else. */
    static List<ToolRow> of(Report report) {
        List<ToolRow> tools = new ArrayList<>();
        if (isByRow(report)) {
            report.here().rows().each((names, row) -> add(tools, names, row));
        } else {
            add(tools, new NamedFigures(), report.here().all());
        }
        return tools;
    }

    private static void add(List<ToolRow> tools, NamedFigures names, RowFigures row) {
        row.costs().toolsByName().forEach((tool, calls) -> tools.add(new ToolRow(names, tool, calls)));
    }

    /** That of nothing. */
    static ToolRow none(Report report) {
        NamedFigures names = isByRow(report) ? report.here().rows().noNames() : new NamedFigures();
        return new ToolRow(names, "", new CallFigures());
    }

    /** Returns the heads of the columns with the names. */
    static Stream<String> names(Report report) {
        return isByRow(report) ? report.names("tool") : Stream.of("tool");
    }

    private static boolean isByRow(Report report) {
        return report.by().contains(Dimension.TOOL) && report.by().size() > 1;
    }

    NamedFigures fields() {
        return new NamedFigures().putAll(names).name("tool", tool).putAll(calls.fields());
    }
}
