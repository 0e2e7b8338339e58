package dev.rlm.runs.label;

import dev.rlm.cli.recorded.Agreement;
import dev.rlm.cli.recorded.Scores;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.cli.terminal.Table;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.index.EventRow;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.schema.RewardVersion;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Agreement of every score with what a person said of the same runs, and of the recorded verdicts with that. */
final class Calibration {
    /** From which label on a person said that a run is solved. */
    static final double LABELLED_SOLVED = 0.5;

    private final RewardVersion label;
    private final double passReward;
    private final Map<String, Side> scores = new TreeMap<>();
    private Agreement recorded = Agreement.NONE;
    private long labelled;

    /**
     * Of no runs.
     *
     * @param label under which the person's labels are
     * @param passReward from which score on a run is solved
     */
    Calibration(RewardVersion label, double passReward) {
        this.label = label;
        this.passReward = passReward;
    }

    /** Adds a run, if it is labelled. */
    void add(RunSummary run) {
        Map<RewardVersion, EventRow.Reward> given = Scores.of(run.eventRows());
        EventRow.Reward person = given.remove(label);
        if (person == null || Double.isNaN(person.value())) {
            return;
        }
        labelled++;
        boolean solved = person.value() >= LABELLED_SOLVED;
        given.values().removeIf(score -> Double.isNaN(score.value()));
        given.keySet().removeIf(version -> version.name().startsWith(RewardVersion.FINDING));
        given.forEach((version, score) -> scores.computeIfAbsent(version.toString(), key -> new Side(score.kind()))
                .add(score.value() >= passReward, solved));
        Boolean said = run.verdict().solved();
        if (said != null) {
            recorded = recorded.with(said, solved);
        }
    }

    long labelled() {
        return labelled;
    }

    /** Returns the judges, those that are no persons, whose kappa is below that, or that have none. */
    List<String> below(double kappa) {
        List<String> below = new ArrayList<>();
        scores.forEach((name, side) -> {
            if (side.kind != RewardGiven.Kind.PERSON && !(side.agreement.kappa() >= kappa)) {
                below.add(name);
            }
        });
        return below;
    }

    /** Returns whether somebody else than a person has scored a labelled run. */
    boolean hasJudges() {
        return scores.values().stream().anyMatch(side -> side.kind != RewardGiven.Kind.PERSON);
    }

    void print(PrintWriter out, Ink ink) {
        Table table = new Table(
                List.of("score", "kind", "runs", "agreement", "kappa", "false positives", "false negatives"),
                Set.of(2, 3, 5, 6));
        scores.forEach((name, side) -> row(table, name, side.kind(), side.agreement));
        row(table, "(recorded)", "", recorded);
        table.print(out, ink);
        out.println(Counted.of(labelled, "run has", "runs have") + " the label " + label + "; solved is a score from "
                + passReward
                + " on. False positives are of the runs labelled not solved, false negatives of those labelled solved");
        out.flush();
    }

    private static void row(Table table, String name, String kind, Agreement agreement) {
        table.row(
                name,
                kind,
                String.valueOf(agreement.runs()),
                percent(agreement.observed()),
                agreement.kappaText(),
                percent(agreement.falsePositives()),
                percent(agreement.falseNegatives()));
    }

    private static String percent(double share) {
        return Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    void printJson(PrintWriter out) {
        JsonOutput.print(out, json -> {
            json.writeStringProperty("label", label.toString());
            json.writeNumberProperty("labelled", labelled);
            json.writeNumberProperty("pass_reward", passReward);
            json.writeArrayPropertyStart("scores");
            scores.forEach((name, side) -> {
                json.writeStartObject();
                json.writeStringProperty("score", name);
                json.writeStringProperty("kind", side.kind().isEmpty() ? null : side.kind());
                write(json, side.agreement);
                json.writeEndObject();
            });
            json.writeEndArray();
            json.writeObjectPropertyStart("recorded");
            write(json, recorded);
            json.writeEndObject();
        });
    }

    private static void write(JsonGenerator json, Agreement agreement) {
        json.writeNumberProperty("runs", agreement.runs());
        agreement.write(json);
        JsonOutput.number(json, "false_positives", agreement.falsePositives());
        JsonOutput.number(json, "false_negatives", agreement.falseNegatives());
    }

    /** The scores of one version. */
    private static final class Side {
        private final RewardGiven.@Nullable Kind kind;
        private Agreement agreement = Agreement.NONE;

        Side(RewardGiven.@Nullable Kind kind) {
            this.kind = kind;
        }

        void add(boolean solved, boolean labelled) {
            agreement = agreement.with(solved, labelled);
        }

        String kind() {
            return kind == null ? "" : kind.name().toLowerCase(Locale.ROOT);
        }
    }
}
