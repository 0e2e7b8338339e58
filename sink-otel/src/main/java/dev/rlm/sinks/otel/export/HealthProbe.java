package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.delivery.DeliveryStatus;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.otel.otlp.OtlpConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Look at how sending fares: what is known of it, and what back ends answer that are asked.
 *
 * @param spans {@code null} where they go nowhere
 * @param connections by which spans are sent
 * @param others what is sent besides
 * @param nowhere why nothing is sent where that is so, for people
 * @param first facts, which come before all others
 */
public record HealthProbe(
        @Nullable SpanExport spans,
        List<OtlpConnection> connections,
        List<SignalExport<?>> others,
        String nowhere,
        Map<String, Object> first) {
    /** Fact: whether there are measurements. */
    public static final String METRICS = "metrics";

    /** Returns the health as known, without a request. Neither failures of metrics or logs nor the choice to send nothing make the sink unavailable. */
    Health known() {
        DeliveryStatus status = spans == null ? null : spans.status();
        Failure failure = status == null ? null : status.failure();
        StringBuilder detail = new StringBuilder(status == null ? nowhere : status.target() + ", " + status.summary());
        detail.append(failure == null ? "" : ", last failure: " + failure.text());
        Map<String, Object> facts = new LinkedHashMap<>(first);
        facts.putAll(spans == null ? Map.of() : spans.facts());
        for (SignalExport<?> other : others) {
            detail.append(other.trouble());
            facts.putAll(other.facts());
        }
        detail.append(refused());
        detail.append(spans == null ? "" : spans.trouble());
        return new Health(failure == null, detail.toString(), facts);
    }

    /** Returns the kinds of data that the back end refuses, as the end of a line; empty if it takes all. */
    private String refused() {
        String refused = others.stream()
                .filter(SignalExport::isRefused)
                .map(SignalExport::data)
                .collect(Collectors.joining(" or "));
        return refused.isEmpty() ? "" : "; no " + refused + ": it takes none";
    }

    /** Asks each back end, all at once, whether it would take spans, metrics and logs now; waits so long for the answers. */
    Health ask(Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        List<Asked> asked = new ArrayList<>();
        connections.forEach(connection -> asked.add(new Asked("spans", null, connection.probe())));
        for (SignalExport<?> other : others) {
            other.connections()
                    .forEach(connection -> asked.add(new Asked(other.data(), other.offSwitch(), connection.probe())));
        }
        return asked.isEmpty() ? known() : answered(asked, by); // else whatever sends is not ours to ask by
    }

    private Health answered(List<Asked> asked, long by) {
        Map<String, Object> facts = new LinkedHashMap<>(known().facts());
        StringJoiner detail = new StringJoiner(", ").add(target());
        boolean well = true;
        for (Asked each : asked) {
            Failure failure = SignalExport.await(each.answer(), by);
            boolean isUsual = failure != null && each.isUsual(failure);
            well &= failure == null || isUsual;
            String answer = failure == null
                    ? "taken"
                    : isUsual ? "not taken (" + each.offSwitch() + "=false turns them off)" : failure.text();
            facts.put("check_" + each.signal(), answer);
            detail.add(each.signal() + ": " + answer);
        }
        return new Health(well, detail.toString(), facts);
    }

    private String target() {
        return spans != null
                ? spans.status().target()
                : others.stream()
                        .findFirst()
                        .map(other -> other.status().target())
                        .orElse(nowhere);
    }

    /** One question, about a signal, with the variable that turns it off where there is one. */
    private record Asked(String signal, @Nullable String offSwitch, CompletableFuture<Optional<Failure>> answer) {
        /** Returns whether a back end of traces has refused metrics or logs for good, which is not an error. */
        boolean isUsual(Failure failure) {
            return failure.remedy() == Remedy.NEVER && offSwitch != null;
        }
    }
}
