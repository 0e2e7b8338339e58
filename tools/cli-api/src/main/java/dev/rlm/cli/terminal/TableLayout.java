package dev.rlm.cli.terminal;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Choice of the columns of a table, and of their widths, for lines of a certain length. */
final class TableLayout {
    private static final int GAP = Table.GAP.length();

    private final List<Column> shown;
    private final List<String> leftOut = new ArrayList<>();

    /** Takes the measures one after another until the columns fit: first those against columns that tell nothing. */
    TableLayout(List<Column> columns, List<Measure> measures, int length) {
        shown = new ArrayList<>(columns);
        List<Measure> inOrder = new ArrayList<>(measures);
        inOrder.sort(Comparator.comparing(measure -> !measure.isFree(columns)));
        for (Measure measure : inOrder) {
            if (readableLength() > length) {
                take(measure);
            }
        }
    }

    private int readableLength() {
        return shown.stream().mapToInt(column -> column.readableWidth() + GAP).sum() - GAP;
    }

    private void take(Measure measure) {
        int at = measure.in(shown);
        if (at < 0) {
            return; // the column has been left out before
        }
        if (measure.shorter() == null) {
            shown.remove(at);
            leftOut.add(measure.title());
        } else {
            shown.set(at, shown.get(at).shortened(measure.shorter()));
        }
    }

    List<Column> shown() {
        return shown;
    }

    /** Returns the titles of the columns that are not shown. */
    List<String> leftOut() {
        return leftOut;
    }

    /** Returns the widths of the columns that are shown; the widest of those that may be cut give way. */
    int[] widths(int length) {
        int[] widths = each(Column::width);
        narrow(widths, each(Column::readableWidth), length);
        narrow(widths, each(Column::leastWidth), length);
        return widths;
    }

    private int[] each(ToIntFunction<Column> width) {
        return shown.stream().mapToInt(width).toArray();
    }

    /** Takes away what is too much for the length, as far as the least widths allow. */
    private static void narrow(int[] widths, int[] least, int length) {
        int over = IntStream.of(widths).sum() + GAP * (widths.length - 1) - length;
        for (int widest = widest(widths, least); over > 0 && widest >= 0; widest = widest(widths, least)) {
            widths[widest]--;
            over--;
        }
    }

    /** Returns the widest column that can become narrower; -1 where there is none. */
    private static int widest(int[] widths, int[] least) {
        return IntStream.range(0, widths.length)
                .filter(i -> widths[i] > least[i])
                .reduce((widest, i) -> widths[i] > widths[widest] ? i : widest)
                .orElse(-1);
    }

    /**
     * Measure against a table that is too wide.
     *
     * @param title the column; of several with the same title it is the last
     * @param shorter makes a cell shorter; {@code null} to leave the column out
     */
    record Measure(String title, @Nullable UnaryOperator<String> shorter) {
        int in(List<Column> columns) {
            return columns.stream().map(Column::title).toList().lastIndexOf(title);
        }

        private boolean isFree(List<Column> columns) {
            int at = in(columns);
            return shorter == null && at >= 0 && columns.get(at).tellsNothing();
        }
    }
}
