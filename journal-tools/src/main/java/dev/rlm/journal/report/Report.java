package dev.rlm.journal.report;

import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
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
    Report {
        by = List.copyOf(by);
        attempts = List.copyOf(new TreeSet<>(attempts));
    }

    /** For which k there is to be a pass@k: those asked for, or 1, 2, 4 … as far as the largest group goes. */
    List<Integer> ks() {
        return attempts.isEmpty() ? here.all().groups().ks() : attempts;
    }

    /** The fields that name a row, and others. */
    Stream<String> names(String... more) {
        return Stream.concat(here.rows().dimensions().stream().map(Dimension::field), Stream.of(more));
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
