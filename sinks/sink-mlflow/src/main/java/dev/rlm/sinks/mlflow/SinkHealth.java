package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.mlflow.rest.MlflowResponse;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Health of the sink, made of its parts' health: available if all of them are. */
final class SinkHealth {
    /** The parts that every run uses. */
    private static final Set<String> STEADY = Set.of("traces", "feedback", "metrics");

    private final TrackingServer server;
    private final Supplier<Health> traces;
    private final List<SinkPart<?>> others;
    private final Supplier<Optional<String>> page;

    /** @param page of MLflow's run, where a person finds the job, once it is known */
    SinkHealth(
            TrackingServer server, Supplier<Health> traces, List<SinkPart<?>> others, Supplier<Optional<String>> page) {
        this.server = server;
        this.traces = traces;
        this.others = List.copyOf(others);
        this.page = page;
    }

    private Map<String, Health> parts() {
        Map<String, Health> parts = new LinkedHashMap<>();
        parts.put("traces", traces.get());
        others.forEach(part -> parts.put(part.name(), part.health()));
        return parts;
    }

    Health health() {
        Map<String, Health> all = parts();
        boolean available = all.values().stream().allMatch(Health::available);
        Map<String, Object> facts = new LinkedHashMap<>();
        all.values().forEach(part -> facts.putAll(part.facts()));
        String see = page.get().map(url -> ", see " + url).orElse("");
        return new Health(
                available, server.address() + ", " + (available ? arrivals(facts) : troubles(all)) + see, facts);
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
                .filter(STEADY::contains)
                .toList();
        return on.isEmpty() ? off : off + "; " + String.join(", ", on) + " go on";
    }

    /** Asks the server for something that every one has; where it answers, how the parts fare is no matter. */
    Health check(long by) {
        MlflowResponse answer = server.get("/api/2.0/mlflow/experiments/search", Map.of("max_results", "1"), by);
        Failure failure = answer.failure();
        Map<String, Object> facts = health().facts();
        return failure == null
                ? new Health(true, server.address() + ", answers", facts)
                : new Health(false, server.address() + ", " + failure.text(), facts);
    }
}
