package dev.rlm.runner.rescore;

import dev.rlm.cli.terminal.Counted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.core.JsonGenerator;

/** Runs that got no score, by why: how many, and the first of them by name. For one thread. */
final class Setbacks {
    private static final int REASONS = 100;
    private static final int KEPT = 100;
    private static final int SHOWN = 3;
    private static final String OTHER = "(other reasons)";

    private final Map<String, Long> counts = new LinkedHashMap<>();
    private final Map<String, List<String>> runs = new LinkedHashMap<>();
    private long all;

    void add(String reason, String runId) {
        String known = counts.containsKey(reason) || counts.size() < REASONS ? reason : OTHER;
        counts.merge(known, 1L, Long::sum);
        List<String> named = runs.computeIfAbsent(known, key -> new ArrayList<>());
        if (named.size() < KEPT) {
            named.add(runId);
        }
        all++;
    }

    long count() {
        return all;
    }

    /** Returns a line a reason, for people. */
    List<String> lines() {
        return counts.entrySet().stream()
                .map(each -> Counted.of(each.getValue(), "run") + ": " + each.getKey() + " ("
                        + named(each.getKey(), each.getValue()) + ")")
                .toList();
    }

    private String named(String reason, long count) {
        String first =
                runs.getOrDefault(reason, List.of()).stream().limit(SHOWN).collect(Collectors.joining(", "));
        return count > SHOWN ? first + ", …" : first;
    }

    void write(JsonGenerator json, String name) {
        json.writeArrayPropertyStart(name);
        counts.forEach((reason, count) -> {
            json.writeStartObject();
            json.writeStringProperty("reason", reason);
            json.writeNumberProperty("runs", count);
            json.writeArrayPropertyStart("run_ids");
            runs.getOrDefault(reason, List.of()).forEach(json::writeString);
            json.writeEndArray();
            json.writeEndObject();
        });
        json.writeEndArray();
    }
}
