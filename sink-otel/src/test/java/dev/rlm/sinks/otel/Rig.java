package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A hub whose only sink sends to a receiver by one of the protocols; it keeps the time of a {@link FakeClock}. */
public final class Rig implements AutoCloseable {
    public static final String GRPC = "grpc";
    public static final String HTTP = "http/protobuf";

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final FakeClock clock = new FakeClock();
    private final OtlpReceiver receiver;
    private final OtelSink sink;
    private final Sinks sinks;

    private Rig(String protocol, Map<String, String> variables) throws IOException {
        receiver = OtlpReceiver.start();
        sink = (OtelSink) new OtelSinkProvider().create(config(receiver, protocol, variables));
        sinks = clock.of(Sinks.builder()).add("otel", sink).build();
    }

    public static Rig by(String protocol) throws IOException {
        return by(protocol, Map.of());
    }

    /** With further variables, which count before those that lead to the receiver. */
    public static Rig by(String protocol, Map<String, String> variables) throws IOException {
        return new Rig(protocol, variables);
    }

    public static SinkConfig config(OtlpReceiver receiver, String protocol, Map<String, String> variables) {
        Map<String, String> all = new HashMap<>();
        all.put(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                protocol.equals(GRPC) ? receiver.grpcEndpoint() : receiver.httpEndpoint());
        all.put("OTEL_EXPORTER_OTLP_PROTOCOL", protocol);
        all.put("OTEL_METRIC_EXPORT_INTERVAL", "600000"); // at a flush only
        all.put("OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED", "true");
        all.putAll(variables);
        return SinkConfig.of(all).sink(OtelSinkProvider.NAME);
    }

    public FakeClock clock() {
        return clock;
    }

    public OtlpReceiver receiver() {
        return receiver;
    }

    public OtelSink sink() {
        return sink;
    }

    public Sinks sinks() {
        return sinks;
    }

    public Run startRun(String runId) {
        return sinks.startRun(RunSpec.builder("calc").runId(runId).build());
    }

    /** Flushes, of which nothing is to go wrong. */
    public void flush() {
        assertThat(tryToFlush()).as("flush").isTrue();
    }

    public boolean tryToFlush() {
        return sinks.flush(PATIENCE).isComplete();
    }

    /** The spans that arrive by a flush. */
    public List<OtlpSpan> spans() {
        flush();
        return receiver.spans();
    }

    /** The only span of that name that has arrived by a flush. */
    public OtlpSpan span(String name) {
        flush();
        List<OtlpSpan> found = receiver.spans(name);
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    public SinkStatus status() {
        return sinks.statuses().get(0);
    }

    public Ledger ledger() {
        return status().ledger();
    }

    @Override
    public void close() {
        sinks.close();
        receiver.close();
    }
}
