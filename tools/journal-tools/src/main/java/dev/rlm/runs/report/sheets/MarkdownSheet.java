package dev.rlm.runs.report.sheets;

import dev.rlm.cli.terminal.Printable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Markdown as GitHub reads it. What has a meaning there is written so that it has none. */
public record MarkdownSheet(PrintWriter out) implements Sheet {
    private static final Pattern SPECIAL = Pattern.compile("[\\\\`*_\\[\\]<>|~#]");

    @Override
    public void heading(String text) {
        out.println("### " + escaped(text));
        out.println();
    }

    @Override
    public void grid(Grid grid) {
        if (!grid.isEmpty()) {
            row(grid.head());
            List<String> rule = new ArrayList<>();
            for (int i = 0; i < grid.head().size(); i++) {
                rule.add(grid.figures().contains(i) ? "---:" : "---");
            }
            out.println("| " + String.join(" | ", rule) + " |");
            grid.rows().forEach(this::row);
            out.println();
        }
    }

    private void row(List<String> cells) {
        out.println(cells.stream().map(MarkdownSheet::escaped).collect(Collectors.joining(" | ", "| ", " |")));
    }

    @Override
    public void line(String text) {
        out.println(escaped(text));
        out.println();
    }

    @Override
    public void last(String text) {
        out.println(escaped(text));
    }

    @Override
    public String marks() {
        return BLOCKS;
    }

    private static String escaped(String text) {
        return SPECIAL.matcher(Printable.line(text)).replaceAll("\\\\$0");
    }
}
