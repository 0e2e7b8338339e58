package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.delivery.DeliveryStatus;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.mlflow.rest.Answer;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How the sink fares, from how its parts do: available where all of them are. */
final class Standing {
    private static final String TRACES = "traces";
    private static final String LINKS = "links"; // of which there are none without metrics

    private static final String FILES = "artifacts"; // of which there are few

    private final String address;
    private final Supplier<Map<String, Health>> parts;
    private final Supplier<Optional<String>> page;

    /** @param page of MLflow's run, where a person finds the job, once it is known */
    Standing(String address, Supplier<Map<String, Health>> parts, Supplier<Optional<String>> page) {
        this.address = address;
        this.parts = parts;
        this.page = page;
    }

    /** The parts by name, the traces with what was last wrong with them. */
    static Map<String, Health> parts(
            Health traces,
            @Nullable Failure lastOfTraces,
            Health feedback,
            Health metrics,
            Health links,
            Health files) {
        Map<String, Health> parts = new LinkedHashMap<>();
        parts.put(
                TRACES,
                traces.available() || lastOfTraces == null
                        ? traces
                        : new Health(false, lastOfTraces.text(), traces.facts()));
        parts.put("feedback", feedback);
        parts.put("metrics", metrics);
        parts.put(LINKS, links);
        parts.put(FILES, files);
        return parts;
    }

    /** How a part fares whose items are counted so; where they go is said once for all. */
    static Health of(DeliveryStatus status, String prefix) {
        Failure failure = status.failure();
        Map<String, Object> facts = status.facts(prefix);
        facts.remove(prefix + "target");
        return new Health(failure == null, failure == null ? status.summary() : failure.text(), facts);
    }

    Health health() {
        Map<String, Health> all = parts.get();
        boolean available = all.values().stream().allMatch(Health::available);
        Map<String, Object> facts = new LinkedHashMap<>();
        all.values().forEach(part -> facts.putAll(part.facts()));
        String see = page.get().map(url -> ", see " + url).orElse("");
        return new Health(available, address + ", " + (available ? arrivals(facts) : troubles(all)) + see, facts);
    }

    private static String arrivals(Map<String, Object> facts) {
        return facts.get("spans_exported") + " spans and " + facts.get("rewards_exported") + " rewards arrived";
    }

    /** Such as {@code metrics off: connection refused; traces, feedback go on}. */
    private static String troubles(Map<String, Health> all) {
        String off = all.entrySet().stream()
                .filter(part -> !part.getValue().available())
                .map(part -> part.getKey() + " off: " + part.getValue().detail())
                .collect(Collectors.joining("; "));
        List<String> on = all.entrySet().stream()
                .filter(part -> part.getValue().available())
                .map(Map.Entry::getKey)
                .filter(part -> !part.equals(LINKS) && !part.equals(FILES))
                .toList();
        return on.isEmpty() ? off : off + "; " + String.join(", ", on) + " go on";
    }

    /** Asks the server for something that every one has; where it answers, how the parts fare is no matter. */
    Health check(TrackingServer server, long by) {
        Answer answer = server.get("/api/2.0/mlflow/experiments/search", Map.of("max_results", "1"), by);
        Failure failure = answer.failure();
        Map<String, Object> facts = health().facts();
        return failure == null
                ? new Health(true, address + ", answers", facts)
                : new Health(false, address + ", " + failure.text(), facts);
    }
}
