package dev.rlm.runner.job;

import dev.rlm.cli.terminal.Json;
import dev.rlm.sinks.schema.statistics.Estimate;
import dev.rlm.sinks.schema.statistics.Group;
import dev.rlm.sinks.schema.statistics.Groups;
import tools.jackson.core.JsonGenerator;

/** Writes what groups came to: all of them together, and each. */
final class GroupsJson {
    private GroupsJson() {}

    static void write(JsonGenerator json, Groups<RunGroups.Name> groups) {
        json.writeArrayPropertyStart("pass");
        groups.ks().forEach(k -> pass(json, groups, k));
        json.writeEndArray();
        json.writeNumberProperty("groups_compared", groups.comparable());
        json.writeNumberProperty("groups_without_signal", groups.flat().count());
        Json.number(json, "reward_spread", groups.spread());
        json.writeArrayPropertyStart("groups");
        groups.all().forEach((name, group) -> group(json, name, group));
        json.writeEndArray();
    }

    private static void pass(JsonGenerator json, Groups<RunGroups.Name> groups, int k) {
        Estimate any = groups.anyOf(k);
        Estimate all = groups.allOf(k);
        json.writeStartObject();
        json.writeNumberProperty("k", k);
        Json.number(json, "pass_at_k", any.value());
        Json.number(json, "pass_at_k_se", any.error());
        Json.number(json, "pass_hat_k", all.value());
        Json.number(json, "pass_hat_k_se", all.error());
        json.writeNumberProperty("groups", any.count());
        json.writeEndObject();
    }

    private static void group(JsonGenerator json, RunGroups.Name name, Group group) {
        json.writeStartObject();
        json.writeStringProperty("sample", name.sample());
        json.writeStringProperty("model", name.model());
        json.writeNumberProperty("runs", group.decided());
        json.writeNumberProperty("solved", group.solved());
        Json.number(json, "mean_reward", group.mean());
        Json.number(json, "reward_spread", group.spread());
        json.writeEndObject();
    }
}
