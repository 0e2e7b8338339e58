package dev.rlm.runner.report;

import dev.rlm.runner.terminal.Ink;
import dev.rlm.runner.terminal.Printable;
import dev.rlm.runner.terminal.Table;
import java.io.PrintWriter;
import java.util.Locale;

/** A terminal, or a file of plain text. */
record TerminalSheet(PrintWriter out, Ink ink) implements Sheet {
    @Override
    public void heading(String text) {
        out.println();
        out.println(ink.bold(Printable.line(text).toUpperCase(Locale.ROOT)));
    }

    @Override
    public void grid(Grid grid) {
        if (!grid.isEmpty()) {
            Table table = new Table(grid.head(), grid.figures());
            grid.rows().forEach(row -> table.row(row.toArray(String[]::new)));
            table.print(out, ink);
        }
    }

    @Override
    public void line(String text) {
        out.println(Printable.line(text));
    }

    /** Blocks on a terminal that shows colours, in a locale that has the characters. */
    @Override
    public String marks() {
        return ink.enabled() && "UTF-8".equalsIgnoreCase(System.getProperty("native.encoding")) ? BLOCKS : ASCII;
    }
}
