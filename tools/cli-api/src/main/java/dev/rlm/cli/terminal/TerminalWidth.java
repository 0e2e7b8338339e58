package dev.rlm.cli.terminal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Width of the terminal that shows the results. What goes to a pipe or a file has no width, and is never cut. */
public final class TerminalWidth {
    /** The width of what is no terminal. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private TerminalWidth() {}

    /** Returns the columns of the terminal to which standard output leads. Java cannot tell, so the launcher says it. */
    public static int ofOutput() {
        return Integer.getInteger("rlm.columns", UNLIMITED);
    }

    /** Tells which columns tables lack for want of room; nothing where they lack none. */
    public static void printNote(PrintWriter out, Ink ink, Collection<String> leftOut, int columns) {
        if (!leftOut.isEmpty()) {
            String note = "not shown on " + columns + " columns: " + String.join(", ", leftOut) + " (| cat shows all)";
            wrap(note, columns).forEach(line -> out.println(ink.dim(line)));
        }
    }

    /** Returns the text in lines that are no longer than that, divided at spaces; words are left whole. */
    public static List<String> wrap(String text, int columns) {
        List<String> lines = new ArrayList<>();
        String rest = text;
        while (rest.length() > columns) {
            int space = rest.lastIndexOf(' ', columns);
            int end = space > 0 ? space : rest.indexOf(' ');
            if (end < 0) {
                break;
            }
            lines.add(rest.substring(0, end));
            rest = rest.substring(end + 1);
        }
        lines.add(rest);
        return lines;
    }
}
