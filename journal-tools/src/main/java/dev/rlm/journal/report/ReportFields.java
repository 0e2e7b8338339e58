package dev.rlm.journal.report;

import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.statistics.Estimate;
import dev.rlm.sinks.schema.statistics.Group;
import java.util.Locale;
import java.util.Map;

/** The report as programs read it; {@code docs/report.md} names what is in it. */
record ReportFields(Report report) {
    /** Everything, with so many of the worst samples. */
    Fields all(int worst) {
        PassRule rule = report.rule();
        Side side = report.here();
        Report.Against against = report.against();
        return report.source()
                .fields()
                .put("by", report.by().stream().map(Dimension::field))
                .put(
                        "pass_on",
                        rule.reward() == null ? "recorded" : rule.on().name().toLowerCase(Locale.ROOT))
                .put("pass_reward", rule.reward())
                .putAll(side.rows().fields(this::row))
                .put("tools", ToolRow.of(report).stream().map(ToolRow::fields))
                .put(
                        "groups_without_signal",
                        side.all().groupsWithoutSignal().stream().map(ReportFields::flatGroup))
                .put("worst_samples", side.worst(worst).stream().map(SampleFigures::fields))
                .put("against", against == null ? null : against(against));
    }

    private Fields row(RowFigures row) {
        return row.fields()
                .put("pass", report.ks().stream().map(row::attempts))
                .put("components", row.rewards().components())
                .put("absences", row.rewards().absences())
                .put("ends", row.ends().all().stream());
    }

    /** The figures of a row as a line of a table. */
    Fields line(RowFigures row) {
        Fields fields = row.fields();
        for (int k : report.ks()) {
            Estimate any = row.groups().anyOf(k);
            fields.estimate("pass_at_" + k, any)
                    .estimate("pass_hat_" + k, row.groups().allOf(k))
                    .put("pass_" + k + "_groups", any.count())
                    .put("pass_" + k + "_samples", any.clusters());
        }
        return fields;
    }

    private static Fields flatGroup(Map.Entry<GroupKey, Group> group) {
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

    private Fields against(Report.Against against) {
        return new Fields()
                .put("this_side", against.hereName())
                .put("other_side", against.thereName())
                .put(
                        "other",
                        against.source().fields().putAll(row(against.there().all())))
                .putAll(against.comparison().fields());
    }
}
