package dev.rlm.sinks.otel;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import dev.rlm.sinks.otel.otlp.OtlpConnection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A question to the back ends whether they would take spans and metrics now. All are asked at once. */
final class Inquiry {
    private static final String SPANS = "spans";
    private static final String METRICS = "metrics";

    private final String metricsSwitch;
    private final List<Asked> asked = new ArrayList<>();

    /**
     * One that asks nobody yet.
     *
     * @param metricsSwitch the variable that turns metrics off
     */
    Inquiry(String metricsSwitch) {
        this.metricsSwitch = metricsSwitch;
    }

    void aboutSpans(OtlpConnection connection) {
        asked.add(new Asked(SPANS, connection.probe()));
    }

    void aboutMetrics(OtlpConnection connection) {
        asked.add(new Asked(METRICS, connection.probe()));
    }

    /** Whether nobody has been asked. */
    boolean isEmpty() {
        return asked.isEmpty();
    }

    /** The answers that come before {@link System#nanoTime} comes to {@code by}, after what is known of sending there. */
    Health await(long by, String target, Map<String, Object> known) {
        Map<String, Object> facts = new LinkedHashMap<>(known);
        StringJoiner detail = new StringJoiner(", ").add(target);
        boolean well = true;
        for (Asked each : asked) {
            Failure failure = each.await(by);
            boolean isUsual = failure != null && isUsual(each, failure);
            well &= failure == null || isUsual;
            String answer = failure == null
                    ? "taken"
                    : isUsual ? "not taken (" + metricsSwitch + "=false turns them off)" : failure.text();
            facts.put("check_" + each.signal(), answer);
            detail.add(each.signal() + ": " + answer);
        }
        return new Health(well, detail.toString(), facts);
    }

    /** Whether this is how a back end of traces refuses metrics. */
    private static boolean isUsual(Asked asked, Failure failure) {
        return failure.remedy() == Remedy.NEVER && asked.signal().equals(METRICS);
    }

    /** One question, about a signal. */
    private record Asked(String signal, CompletableFuture<Optional<Failure>> answer) {
        @Nullable
        Failure await(long by) {
            try {
                return answer.get(Math.max(0, by - System.nanoTime()), TimeUnit.NANOSECONDS)
                        .orElse(null);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Failure.timeout();
            } catch (ExecutionException | TimeoutException e) {
                return Failure.timeout();
            }
        }
    }
}
