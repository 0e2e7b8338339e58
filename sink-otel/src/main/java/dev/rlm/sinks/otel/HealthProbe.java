package dev.rlm.sinks.otel;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.otel.otlp.OtlpConnection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A question to the back ends whether they would take spans, metrics and logs now. All are asked at once. */
final class HealthProbe {
    private static final String SPANS = "spans";

    private final List<Asked> asked = new ArrayList<>();

    void aboutSpans(OtlpConnection connection) {
        asked.add(new Asked(SPANS, null, connection.probe()));
    }

    /** About metrics or logs, which a back end of traces refuses. */
    void about(SignalExport<?> signal) {
        signal.connections()
                .forEach(connection -> asked.add(new Asked(signal.data(), signal.offSwitch(), connection.probe())));
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

    /** One question, about a signal, with the variable that turns it off where there is one. */
    private record Asked(String signal, @Nullable String offSwitch, CompletableFuture<Optional<Failure>> answer) {
        /** Whether this is how a back end of traces refuses the others. */
        boolean isUsual(Failure failure) {
            return failure.remedy() == Remedy.NEVER && offSwitch != null;
        }
    }
}
