package dev.rlm.journal.report;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What the chosen runs of a journal came to.
 *
 * @param by what tells the runs, and their calls, apart
 * @param attempts how many in a row pass@k is asked for; empty for a choice that suits the runs
 * @param here the runs
 * @param against what they are compared with; {@code null} for nothing
 */
record Report(
        List<Dimension> by,
        List<Integer> attempts,
        PassRule rule,
        Source source,
        Side here,
        @Nullable Against against) {
    private static final String ALL = "all";

    Report {
        by = List.copyOf(by);
        attempts = List.copyOf(new TreeSet<>(attempts));
    }

    /** For which k there is to be a pass@k: those asked for, or 1, 2, 4 … as far as the largest group goes. */
    List<Integer> ks() {
        if (!attempts.isEmpty()) {
            return attempts;
        }
        return here.all().passes().groups().ks();
    }

    /** What the names of the rows are of, as people read it. */
    List<String> rowTitles() {
        return here.dimensions().stream().map(Dimension::title).toList();
    }

    /** Takes each row by its names, and at last all runs together where there is more or less than one row. */
    void eachRow(BiConsumer<List<String>, RowFigures> consumer) {
        here.rows().forEach((key, row) -> consumer.accept(key.values(), row));
        if (here.rows().size() != 1) {
            List<String> names =
                    new ArrayList<>(Collections.nCopies(here.dimensions().size(), ""));
            if (!names.isEmpty()) {
                names.set(0, ALL);
            }
            consumer.accept(names, here.all());
        }
    }

    /**
     * Where runs come from.
     *
     * @param journal its folder
     * @param runs how many runs there are, chosen or not
     * @param chosen how many fit what was asked for
     * @param superseded how many of the chosen are left out because there is a later attempt
     * @param damagedLines how many of all lines were passed over
     * @param damagedEvents how many events of the chosen runs could not be read
     * @param losses what sinks have lost of all that was recorded there, be it the journal's or another's
     */
    record Source(
            Path journal,
            long runs,
            long chosen,
            long superseded,
            long damagedLines,
            long damagedEvents,
            List<SinkLosses> losses) {}

    /**
     * The other side of a comparison.
     *
     * @param hereName what to call this side
     * @param thereName what to call the other
     */
    record Against(String hereName, String thereName, Source source, Side there, Comparison comparison) {}
}
