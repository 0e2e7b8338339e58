package dev.rlm.runs.report.sheets;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Table;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.runs.Shown;
import java.io.PrintWriter;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;

/** A terminal, or a file of plain text. */
public final class TerminalSheet implements Sheet {
    private final PrintWriter out;
    private final Ink ink;
    private final int width;
    private final Set<String> leftOut = new LinkedHashSet<>();

    public TerminalSheet(PrintWriter out, Ink ink, int width) {
        this.out = out;
        this.ink = ink;
        this.width = width;
    }

    @Override
    public void heading(String text) {
        out.println();
        out.println(ink.bold(Printable.line(text).toUpperCase(Locale.ROOT)));
    }

    @Override
    public void grid(Grid grid) {
        if (!grid.isEmpty()) {
            Table table = new Table(grid.head(), grid.figures())
                    .cut(grid.names().toArray(String[]::new))
                    .leaveOut(grid.leastImportant().toArray(String[]::new))
                    .paint("state", Shown::colored)
                    .paint("failed", TerminalSheet::bad)
                    .paint("abandoned", TerminalSheet::bad);
            grid.rows().forEach(row -> table.row(row.toArray(String[]::new)));
            leftOut.addAll(table.print(out, ink, width));
        }
    }

    private static String bad(Ink ink, String count) {
        return count.equals("0") || count.equals(Numbers.NONE) ? count : ink.red(count);
    }

    @Override
    public void line(String text) {
        TerminalWidth.wrap(Printable.line(text), width).forEach(out::println);
    }

    @Override
    public void finish() {
        if (!leftOut.isEmpty()) {
            out.println();
            TerminalWidth.printNote(out, ink, leftOut, width);
        }
    }

    @Override
    public void last(String text) {
        out.println(Printable.line(text));
    }

    /** Blocks on a terminal that shows colours, in a locale that has the characters. */
    @Override
    public String marks() {
        return ink.enabled() && "UTF-8".equalsIgnoreCase(System.getProperty("native.encoding")) ? BLOCKS : ASCII;
    }
}
