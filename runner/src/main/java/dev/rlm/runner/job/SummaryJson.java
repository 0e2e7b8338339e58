package dev.rlm.runner.job;

import dev.rlm.cli.Redactions;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.runner.replay.ReplaySummary;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.statistics.Estimate;
import dev.rlm.sinks.schema.statistics.Groups;
import dev.rlm.sinks.schema.statistics.MessageGroups;
import dev.rlm.sinks.schema.statistics.PairedDifference;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes what a job came to as one JSON object. Durations are in seconds; a mean of nothing is {@code null}. */
final class SummaryJson {
    private SummaryJson() {}

    static void print(PrintWriter out, Summary summary) {
        JsonOutput.print(out, json -> {
            figures(json, summary.all());
            models(json, summary);
            groups(json, summary.groups());
            extent(json, summary.extent());
            json.writeNumberProperty("abandoned", summary.all().ended(Outcome.ABANDONED));
            failures(json, summary.failures());
            json.writeNumberProperty("bad_lines", summary.badLines());
            JsonOutput.text(
                    json, "journal", summary.journal().map(Path::toString).orElse(null));
            Redactions.write(json, summary.redactions());
            if (summary.replays() != null) {
                replays(json, summary.replays());
            }
            sinks(json, summary);
        });
    }

    private static void figures(JsonGenerator json, RunFigures figures) {
        json.writeNumberProperty("runs", figures.runs());
        json.writeNumberProperty("completed", figures.ended(Outcome.COMPLETED));
        json.writeNumberProperty("failed", figures.ended(Outcome.FAILED));
        json.writeNumberProperty("aborted", figures.ended(Outcome.ABORTED));
        json.writeNumberProperty("solved", figures.solved());
        json.writeNumberProperty("steps", figures.steps());
        json.writeNumberProperty("tool_calls", figures.toolCalls());
        JsonOutput.number(json, "total_reward", figures.totalReward());
        JsonOutput.number(json, "mean_reward", figures.meanReward());
        JsonOutput.number(json, "pass_at_1", figures.solvedRate());
        json.writeObjectPropertyStart("durations");
        JsonOutput.number(json, "p50", seconds(figures.durations().percentile(50)));
        JsonOutput.number(json, "p95", seconds(figures.durations().percentile(95)));
        json.writeEndObject();
        json.writeNumberProperty("runs_without_usable_reward", figures.unusable());
        json.writeNumberProperty("undecided", figures.undecided());
        json.writeNumberProperty("unrewarded_runs", figures.unrewarded());
    }

    private static double seconds(@Nullable Duration duration) {
        return duration == null ? Double.NaN : duration.toNanos() / 1e9;
    }

    private static void extent(JsonGenerator json, Summary.Extent extent) {
        json.writeStringProperty("invocation", extent.invocation());
        json.writeNumberProperty("size", extent.size());
        json.writeNumberProperty("resumed", extent.resumed() == null ? 0 : extent.resumed());
        json.writeNumberProperty("retried", extent.retried());
        json.writeNumberProperty("not_started", extent.notStarted());
        json.writeNumberProperty("left_behind", extent.leftBehind());
    }

    private static void models(JsonGenerator json, Summary summary) {
        json.writeArrayPropertyStart("models");
        summary.models().forEach((model, figures) -> {
            json.writeStartObject();
            json.writeStringProperty("model", model);
            figures(json, figures);
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    private static void groups(JsonGenerator json, Groups<Summary.Group> groups) {
        json.writeArrayPropertyStart("pass");
        groups.ks().forEach(k -> pass(json, groups, k));
        json.writeEndArray();
        json.writeNumberProperty("groups_compared", groups.comparable());
        json.writeNumberProperty("groups_without_signal", groups.flat().count());
        JsonOutput.number(json, "reward_spread", groups.spread());
        json.writeArrayPropertyStart("groups");
        groups.all().forEach((name, group) -> {
            json.writeStartObject();
            json.writeStringProperty("sample", name.sample());
            json.writeStringProperty("model", name.model());
            json.writeNumberProperty("runs", group.decided());
            json.writeNumberProperty("solved", group.solved());
            JsonOutput.number(json, "mean_reward", group.mean());
            JsonOutput.number(json, "reward_spread", group.spread());
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    private static void pass(JsonGenerator json, Groups<?> groups, int k) {
        Estimate any = groups.anyOf(k);
        Estimate all = groups.allOf(k);
        json.writeStartObject();
        json.writeNumberProperty("k", k);
        JsonOutput.number(json, "pass_at_k", any.value());
        JsonOutput.number(json, "pass_at_k_se", any.error());
        JsonOutput.number(json, "pass_hat_k", all.value());
        JsonOutput.number(json, "pass_hat_k_se", all.error());
        json.writeNumberProperty("groups", any.count());
        json.writeEndObject();
    }

    private static void failures(JsonGenerator json, MessageGroups failures) {
        json.writeArrayPropertyStart("failures");
        failures.counts().forEach(failure -> {
            json.writeStartObject();
            JsonOutput.text(json, "message", failure.text().isEmpty() ? null : failure.text());
            json.writeNumberProperty("runs", failure.messages());
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    private static void replays(JsonGenerator json, ReplaySummary replays) {
        json.writeObjectPropertyStart("replays");
        json.writeNumberProperty("runs", replays.runs());
        json.writeNumberProperty("partial", replays.partial());
        json.writeArrayPropertyStart("divergences");
        replays.divergences().forEach(divergence -> {
            json.writeStartObject();
            json.writeStringProperty("replay_of", divergence.recordedRun());
            json.writeStringProperty("run_id", divergence.run());
            json.writeNumberProperty("step", divergence.step());
            json.writeStringProperty("what", divergence.what());
            json.writeStringProperty("recorded", divergence.recorded());
            json.writeStringProperty("now", divergence.now());
            json.writeEndObject();
        });
        json.writeEndArray();
        json.writeObjectPropertyStart("not_replayed");
        replays.missing().forEach(json::writeStringProperty);
        json.writeEndObject();
        ReplaySummary.RewardDifference rewards = replays.rewards();
        if (rewards != null) {
            json.writeObjectPropertyStart("rewards");
            PairedDifference means = rewards.means();
            json.writeNumberProperty("pairs", means.samples());
            JsonOutput.number(json, "recorded", means.there());
            JsonOutput.number(json, "now", means.here());
            json.writeNumberProperty("higher", rewards.higher());
            json.writeNumberProperty("lower", rewards.lower());
            JsonOutput.number(json, "low", means.interval().low());
            JsonOutput.number(json, "high", means.interval().high());
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private static void sinks(JsonGenerator json, Summary summary) {
        json.writeArrayPropertyStart("sinks");
        summary.sinks().stream().filter(SinkStatus::enabled).forEach(status -> {
            json.writeStartObject();
            json.writeStringProperty("name", status.name());
            json.writeBooleanProperty("available", status.available());
            json.writeStringProperty("detail", status.detail());
            JsonOutput.ledger(json, status.ledger());
            json.writeEndObject();
        });
        json.writeEndArray();
    }
}
