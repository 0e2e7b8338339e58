package dev.rlm.runner.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A table in plain text, its columns as wide as they need to be. The first column stands left, numbers right. */
final class TextTable {
    private final List<List<String>> rows = new ArrayList<>();
    private final boolean numbers;

    /**
     * A table with a heading.
     *
     * @param numbers whether all columns but the first hold numbers
     */
    TextTable(boolean numbers, String... heading) {
        this.numbers = numbers;
        row(heading);
    }

    void row(String... cells) {
        rows.add(List.of(cells));
    }

    void printTo(PrintWriter out) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String padding = " ".repeat(widths[i] - row.get(i).length());
                line.append(numbers && i > 0 ? padding + row.get(i) : row.get(i) + padding)
                        .append("  ");
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
