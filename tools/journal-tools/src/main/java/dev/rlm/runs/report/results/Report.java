package dev.rlm.runs.report.results;

import dev.rlm.runs.report.figures.Dimension;
import dev.rlm.runs.report.figures.PassRule;
import dev.rlm.runs.report.figures.RowFigures;
import dev.rlm.runs.report.figures.SampleFigures;
import dev.rlm.runs.report.figures.SinkLosses;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.statistics.Estimate;
import dev.rlm.sinks.schema.statistics.Group;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Results of the chosen runs of a journal.
 *
 * @param by what tells the runs, and their calls, apart
 * @param attempts how many in a row pass@k is asked for; empty for a choice that suits the runs
 * @param here the runs
 * @param against the other side of a comparison; {@code null} if there is none
 */
public record Report(
        List<Dimension> by,
        List<Integer> attempts,
        PassRule rule,
        Source source,
        Side here,
        @Nullable Against against) {
    public Report {
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

    /** Everything as programs read it, with so many of the worst samples; {@code docs/report.md} names what is in it. */
    NamedFigures fields(int worst) {
        return source.fields()
                .put("by", by.stream().map(Dimension::field))
                .put(
                        "pass_on",
                        rule.reward() == null ? "recorded" : rule.on().name().toLowerCase(Locale.ROOT))
                .put("pass_reward", rule.reward())
                .putAll(here.rows().fields(this::row))
                .put("tools", ToolRow.of(this).stream().map(ToolRow::fields))
                .put(
                        "groups_without_signal",
                        here.all().groupsWithoutSignal().stream().map(Report::flatGroup))
                .put("worst_samples", here.worst(worst).stream().map(SampleFigures::fields))
                .put("against", against == null ? null : against(against));
    }

    private NamedFigures row(RowFigures row) {
        return row.fields()
                .put("pass", ks().stream().map(row::attempts))
                .put("components", row.rewards().components())
                .put("absences", row.rewards().absences())
                .put("scores", row.scores().fields())
                .put("ends", row.ends().all().stream())
                .put("layers", row.ends().layers());
    }

    private static NamedFigures flatGroup(Map.Entry<GroupKey, Group> group) {
        GroupKey key = group.getKey();
        return SampleFigures.names(key.sample())
                .put("model", key.model())
                .put("policy_version", key.policyVersion())
                .put("experiment", key.experiment())
                .put("trainer_run", key.trainerRun())
                .put("epoch", key.epoch())
                .put("train_step", key.trainStep())
                .put("runs", group.getValue().rewards())
                .put("reward", group.getValue().reward());
    }

    private NamedFigures against(Against against) {
        return new NamedFigures()
                .put("this_side", against.hereName())
                .put("other_side", against.thereName())
                .put(
                        "other",
                        against.source().fields().putAll(row(against.there().all())))
                .putAll(against.comparison().fields());
    }

    /** The figures of a row as a line of CSV. */
    NamedFigures line(RowFigures row) {
        NamedFigures fields = row.fields();
        for (int k : ks()) {
            Estimate any = row.groups().anyOf(k);
            fields.estimate("pass_at_" + k, any)
                    .estimate("pass_hat_" + k, row.groups().allOf(k))
                    .put("pass_" + k + "_groups", any.count())
                    .put("pass_" + k + "_samples", any.clusters());
        }
        return fields;
    }

    /**
     * Origin of the runs of a side.
     *
     * @param journal its folder
     * @param runs how many runs there are, chosen or not
     * @param chosen how many fit what was asked for
     * @param superseded how many of the chosen are left out because there is a later attempt
     * @param damagedLines how many of all lines were passed over
     * @param damagedEvents how many events of the chosen runs could not be read
     * @param losses what sinks have lost of all that was recorded there, be it the journal's or another's
     */
    public record Source(
            Path journal,
            long runs,
            long chosen,
            long superseded,
            long damagedLines,
            long damagedEvents,
            List<SinkLosses> losses) {
        public NamedFigures fields() {
            return new NamedFigures()
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
    public record Against(String hereName, String thereName, Source source, Side there, Comparison comparison) {}
}
