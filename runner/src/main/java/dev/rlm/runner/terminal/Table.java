package dev.rlm.runner.terminal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Text in columns; control characters in it are made visible. */
public final class Table {
    private static final String GAP = "  ";

    private final List<String> head;
    private final Set<Integer> rightAligned;
    private final List<List<String>> rows = new ArrayList<>();

    /** A table; the numbers, from 0, of the columns to align at the right are given. */
    public Table(List<String> head, Set<Integer> rightAligned) {
        this.head = List.copyOf(head);
        this.rightAligned = Set.copyOf(rightAligned);
    }

    public void row(String... cells) {
        rows.add(Stream.of(cells).map(Printable::line).toList());
    }

    public void print(PrintWriter out, Ink ink) {
        int[] widths = new int[head.size()];
        widen(widths, head);
        rows.forEach(row -> widen(widths, row));
        out.println(ink.bold(line(head, widths)));
        rows.forEach(row -> out.println(line(row, widths)));
    }

    private static void widen(int[] widths, List<String> cells) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], width(cells.get(i)));
        }
    }

    private static int width(String cell) {
        return cell.codePointCount(0, cell.length());
    }

    private String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String padding = " ".repeat(widths[i] - width(cells.get(i)));
            line.append(rightAligned.contains(i) ? padding + cells.get(i) : cells.get(i) + padding)
                    .append(GAP);
        }
        return line.toString().stripTrailing();
    }
}
