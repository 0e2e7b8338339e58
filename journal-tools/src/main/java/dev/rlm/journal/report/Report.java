package dev.rlm.journal.report;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
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
        return attempts.isEmpty() ? here.all().groups().ks() : attempts;
    }

    /** What the names of the rows are of, as people read it, and of what else. */
    List<String> titles(String... more) {
        return Stream.concat(here.rows().titles().stream(), Stream.of(more)).toList();
    }

    /** Takes each row by its names, and at last all runs together where there is more or less than one row. */
    void eachRow(BiConsumer<List<String>, RowFigures> consumer) {
        Rows<RowFigures> rows = here.rows();
        rows.each(consumer);
        if (rows.size() != 1 && !rows.dimensions().isEmpty()) {
            List<String> names =
                    new ArrayList<>(Collections.nCopies(rows.dimensions().size(), ""));
            names.set(0, ALL);
            consumer.accept(names, rows.all());
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
            List<SinkLosses> losses) {
        Fields fields() {
            return new Fields()
                    .put("journal", journal.toString())
                    .put("journal_runs", runs)
                    .put("chosen_runs", chosen)
                    .put("superseded_runs", superseded)
                    .put("damaged_lines", damagedLines)
                    .put("damaged_events", damagedEvents)
                    .put("losses", losses.stream().map(SinkLosses::fields));
        }
    }

    /**
     * The other side of a comparison.
     *
     * @param hereName what to call this side
     * @param thereName what to call the other
     */
    record Against(String hereName, String thereName, Source source, Side there, Comparison comparison) {}
}
