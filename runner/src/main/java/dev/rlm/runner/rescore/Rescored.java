package dev.rlm.runner.rescore;

import dev.rlm.cli.recorded.Agreement;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.sinks.schema.RewardVersion;
import dev.rlm.sinks.schema.statistics.PairedDifference;
import java.io.PrintWriter;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/** Counts and results of a rescore so far. One thread counts, while another may look on. */
final class Rescored {
    private final RewardVersion version;
    private final Changes changes;
    private final Setbacks lacking = new Setbacks();
    private final Setbacks failed = new Setbacks();
    private long skipped;
    private volatile long scored;
    private volatile long done; // of the runs to be scored, also those that failed or lack something
    private volatile long chosen = -1; // until that is known

    Rescored(RewardVersion version, Changes changes) {
        this.version = version;
        this.changes = changes;
    }

    /** Sets how many runs are to be scored. */
    void begin(long runs) {
        chosen = runs;
    }

    /** Counts a run that has the score already. */
    void skipped() {
        skipped++;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread; another looks on, as at the next two
    void scored() {
        scored++;
        done++;
    }

    /** Counts a run that was to be scored and lacks what the scorer needs. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void lacks(String reason, String runId) {
        lacking.add(reason, runId);
        done++;
    }

    /** Counts a run that cannot be scored and was not to be. */
    void unfit(String reason, String runId) {
        lacking.add(reason, runId);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    void failed(String reason, String runId) {
        failed.add(reason, runId);
        done++;
    }

    boolean isComplete() {
        return failed.count() == 0 && done == chosen;
    }

    /** Returns how far it has come, on a line. On any thread. */
    String progress() {
        return chosen < 0
                ? "the journal is being read"
                : done + " of " + chosen + " runs are done, " + scored + " have their score";
    }

    Changes changes() {
        return changes;
    }

    /** Prints it for people. */
    void print(PrintWriter out) {
        line(out, "scored", Counted.of(scored, "run") + " as " + version);
        line(out, "skipped", Counted.of(skipped, "run") + " with that score already");
        lacking.lines().forEach(reason -> line(out, "lacking", reason));
        failed.lines().forEach(reason -> line(out, "failed", reason));
        Agreement agreement = changes.agreement();
        if (agreement.runs() > 0) {
            line(
                    out,
                    "solved",
                    text(
                            "%d of %d, recorded %d; from score %s on",
                            agreement.both() + agreement.onlyTested(),
                            agreement.runs(),
                            agreement.both() + agreement.onlyReference(),
                            changes.passReward()));
            line(
                    out,
                    "flips",
                    text(
                            "%d solved to not solved, %d not solved to solved",
                            agreement.onlyReference(), agreement.onlyTested()));
            line(
                    out,
                    "agreement",
                    text(
                            "%.1f %% with the recorded verdicts; kappa %s",
                            100 * agreement.observed(), agreement.kappaText()));
        }
        PairedDifference difference = changes.difference();
        if (difference.samples() > 0) {
            line(
                    out,
                    "reward",
                    text(
                            "%.3f, recorded %.3f; difference %+.3f (95 %% %+.3f to %+.3f) over %d samples",
                            difference.here(),
                            difference.there(),
                            difference.value(),
                            difference.interval().low(),
                            difference.interval().high(),
                            difference.samples()));
        }
        if (!Double.isNaN(changes.spread())) {
            line(out, "spread", text("%.3f, the mean standard deviation of the judgements of a run", changes.spread()));
        }
        out.flush();
    }

    private static String text(String form, Object... values) {
        return String.format(Locale.ROOT, form, values).replace("NaN", "-");
    }

    private static void line(PrintWriter out, String name, String text) {
        out.println(Printable.line("%-10s %s".formatted(name, text)));
    }

    /** Prints it as one JSON object. */
    void printJson(PrintWriter out) {
        Agreement agreement = changes.agreement();
        PairedDifference difference = changes.difference();
        JsonOutput.print(out, json -> {
            json.writeStringProperty("name", version.name());
            json.writeStringProperty("version", version.version());
            json.writeNumberProperty("scored", scored);
            json.writeNumberProperty("skipped", skipped);
            json.writeNumberProperty("lacking", lacking.count());
            json.writeNumberProperty("failed", failed.count());
            lacking.write(json, "lacks");
            failed.write(json, "failures");
            json.writeNumberProperty("pass_reward", changes.passReward());
            write(json, agreement);
            json.writeObjectPropertyStart("reward");
            JsonOutput.number(json, "scores", difference.here());
            JsonOutput.number(json, "recorded", difference.there());
            JsonOutput.number(json, "difference", difference.value());
            JsonOutput.number(json, "low", difference.interval().low());
            JsonOutput.number(json, "high", difference.interval().high());
            json.writeNumberProperty("samples", difference.samples());
            json.writeEndObject();
            JsonOutput.number(json, "spread", changes.spread());
        });
    }

    private static void write(JsonGenerator json, Agreement agreement) {
        json.writeObjectPropertyStart("verdicts");
        json.writeNumberProperty("runs", agreement.runs());
        json.writeNumberProperty("solved", agreement.both() + agreement.onlyTested());
        json.writeNumberProperty("recorded_solved", agreement.both() + agreement.onlyReference());
        json.writeNumberProperty("solved_to_not", agreement.onlyReference());
        json.writeNumberProperty("not_to_solved", agreement.onlyTested());
        agreement.write(json);
        json.writeEndObject();
    }
}
