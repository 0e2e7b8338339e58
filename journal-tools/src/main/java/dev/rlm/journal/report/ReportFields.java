package dev.rlm.journal.report;

import dev.rlm.journal.report.CostFigures.TokenKind;
import dev.rlm.journal.report.CostFigures.Tokens;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.SampleKey;
import dev.rlm.sinks.schema.statistics.Bootstrap;
import dev.rlm.sinks.schema.statistics.Group;
import dev.rlm.sinks.schema.statistics.MessageGroups;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The report as programs read it; {@code docs/report.md} names what is in it. */
record ReportFields(Report report) {
    /** Everything, with so many of the worst samples. */
    Fields all(int worst) {
        PassRule rule = report.rule();
        Side side = report.here();
        return report.source()
                .fields()
                .put("by", report.by().stream().map(Dimension::field))
                .put(
                        "pass_on",
                        rule.reward() == null ? "recorded" : rule.on().name().toLowerCase(Locale.ROOT))
                .put("pass_reward", rule.reward())
                .putAll(side.rows().allFields(this::row))
                .put("tools", ToolRow.of(report).stream().map(row -> row.fields(report)))
                .put(
                        "groups_without_signal",
                        side.all().groupsWithoutSignal().stream().map(ReportFields::flatGroup))
                .put("worst_samples", side.worst(worst).stream().map(ReportFields::worst))
                .put("against", against(report.against()));
    }

    private Fields row(RowFigures row) {
        return figures(row)
                .put(
                        "pass",
                        report.ks().stream()
                                .map(k -> new Fields()
                                        .put("k", k)
                                        .value("pass_at_k", row.groups().anyOf(k))
                                        .value("pass_hat_k", row.groups().allOf(k))
                                        .put("groups", row.groups().anyOf(k).count())
                                        .put("samples", row.groups().anyOf(k).clusters())))
                .put(
                        "components",
                        row.rewards().components().entrySet().stream().map(ReportFields::component))
                .put(
                        "absences",
                        row.rewards().absences().stream()
                                .map(absence -> new Fields()
                                        .put("reason", absence.getKey())
                                        .put("rewards", absence.getValue())))
                .put("ends", row.ends().all().stream().map(ReportFields::end));
    }

    /** The figures of a row as a line of a table. */
    Fields line(RowFigures row) {
        Fields fields = figures(row);
        for (int k : report.ks()) {
            fields.value("pass_at_" + k, row.groups().anyOf(k))
                    .value("pass_hat_" + k, row.groups().allOf(k))
                    .put("pass_" + k + "_groups", row.groups().anyOf(k).count())
                    .put("pass_" + k + "_samples", row.groups().anyOf(k).clusters());
        }
        return fields;
    }

    private static Fields figures(RowFigures row) {
        RunFigures runs = row.runs();
        return new Fields()
                .put("runs", runs.runs())
                .put("completed", runs.ended(Outcome.COMPLETED))
                .put("failed", runs.ended(Outcome.FAILED))
                .put("aborted", runs.ended(Outcome.ABORTED))
                .put("abandoned", runs.ended(Outcome.ABANDONED))
                .put("running", runs.running())
                .put("samples", row.samples())
                .counts(row, Count.INCOMPLETE_RUNS)
                .put("solved", runs.solved())
                .put("undecided", runs.undecided())
                .estimate("solved_rate", row.solvedRate())
                .put("groups_compared", row.groups().comparable())
                .put("groups_without_signal", row.groups().flat().count())
                .estimate("mean_reward", row.meanReward())
                .put("min_reward", row.minReward())
                .put("max_reward", row.maxReward())
                .put("total_reward", runs.totalReward())
                .counts(row, Count.ABSENT_REWARDS, Count.NOT_FINITE_REWARDS, Count.OUT_OF_RANGE_REWARDS)
                .put("runs_without_usable_reward", runs.unusable())
                .counts(row, Count.UNREWARDED_RUNS, Count.LATE_REWARDED_RUNS)
                .put("steps", runs.steps())
                .counts(row, Count.RUNS_WITHOUT_TIMES)
                .percentiles("duration_", runs.durations())
                .putAll(costs(row.costs()));
    }

    private static Fields costs(CostFigures costs) {
        Fields fields = new Fields()
                .put("model_calls", costs.models().calls())
                .put("failed_model_calls", costs.models().failed())
                .percentiles("model_call_", costs.models().latencies());
        for (TokenKind kind : TokenKind.values()) {
            String name = kind.name().toLowerCase(Locale.ROOT) + "_tokens";
            Tokens tokens = costs.tokens(kind);
            fields.put(name, tokens.sum()).put(name + "_calls", tokens.calls());
        }
        return fields.put("model_cost", costs.money().sum())
                .put("model_cost_calls", costs.money().calls())
                .put("tool_calls", costs.tools().calls())
                .put("failed_tool_calls", costs.tools().failed())
                .put("tool_error_rate", costs.tools().errorRate())
                .percentiles("tool_call_", costs.tools().latencies());
    }

    private static Fields component(Map.Entry<RewardFigures.ComponentKey, RewardFigures.Component> component) {
        RewardFigures.Component figures = component.getValue();
        return new Fields()
                .put("name", component.getKey().name())
                .put("unit", component.getKey().unit())
                .put("given", figures.count())
                .put("not_finite", figures.notFinite())
                .put("mean", figures.mean())
                .put("min_weight", figures.minWeight())
                .put("max_weight", figures.maxWeight());
    }

    /** An end of runs, with what was said of them. */
    private static Fields end(Map.Entry<Ends.End, MessageGroups> end) {
        return new Fields()
                .put("state", end.getKey().state())
                .text("reason", end.getKey().reason())
                .put("runs", end.getValue().total())
                .put(
                        "messages",
                        end.getValue().counts().stream()
                                .filter(message -> !message.text().isEmpty())
                                .map(message -> new Fields()
                                        .put("message", message.text())
                                        .put("runs", message.messages())));
    }

    private static Fields flatGroup(Map.Entry<GroupKey, Group> group) {
        GroupKey key = group.getKey();
        return sample(key.sample())
                .put("model", key.model())
                .put("policy_version", key.policyVersion())
                .put("experiment", key.experiment())
                .put("trainer_run", key.trainerRun())
                .put("epoch", key.epoch())
                .put("train_step", key.trainStep())
                .put("runs", group.getValue().rewards())
                .put("reward", group.getValue().reward());
    }

    private static Fields sample(SampleKey sample) {
        return new Fields()
                .put("environment", sample.environment())
                .text("split", sample.split())
                .put("sample", sample.sample());
    }

    private static Fields worst(SampleFigures sample) {
        return sample(sample.sample())
                .put("runs", sample.runs().decided())
                .put("solved", sample.runs().solved())
                .put("mean_reward", sample.runs().meanReward())
                .put("run_id", sample.worstRun());
    }

    private @Nullable Fields against(Report.@Nullable Against against) {
        if (against == null) {
            return null;
        }
        Comparison comparison = against.comparison();
        Comparison.Verdicts verdicts = comparison.verdicts();
        return new Fields()
                .put("this_side", against.hereName())
                .put("other_side", against.thereName())
                .put(
                        "other",
                        against.source().fields().putAll(row(against.there().all())))
                .put("samples_this_side_only", comparison.onlyHere())
                .put("samples_other_side_only", comparison.onlyThere())
                .put("reward", difference(comparison.reward()))
                .put("solved_rate", difference(comparison.solved()))
                .put("resamples", Bootstrap.RESAMPLES)
                .put("level", Bootstrap.LEVEL)
                .put(
                        "mcnemar",
                        new Fields()
                                .put("both", verdicts.both())
                                .put("this_side_only", verdicts.onlyHere())
                                .put("other_side_only", verdicts.onlyThere())
                                .put("neither", verdicts.neither())
                                .put("ties", verdicts.ties())
                                .put("p_value", verdicts.pValue()));
    }

    private static Fields difference(Comparison.Difference difference) {
        return new Fields()
                .put("this_side", difference.here())
                .put("other_side", difference.there())
                .put("difference", difference.value())
                .put("low", difference.interval().low())
                .put("high", difference.interval().high())
                .put("samples", difference.samples());
    }
}
