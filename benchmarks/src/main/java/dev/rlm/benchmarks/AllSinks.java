package dev.rlm.benchmarks;

import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.otel.OtelSink;
import java.io.IOException;
import java.time.Duration;

/** A hub with the journal, synced, and the OpenTelemetry sink, which sends to a receiver on this machine. */
public final class AllSinks implements AutoCloseable {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final TemporaryFolder folder = TemporaryFolder.create("sinks");
    private final Receiver receiver = new Receiver();
    private final Sinks hub;

    public AllSinks() throws IOException {
        hub = Sinks.builder()
                .add(
                        "jsonl",
                        JsonlSink.builder()
                                .directory(folder.path())
                                .rotateSize(64_000_000)
                                .keepSize(256_000_000)
                                .compress(false)
                                .build())
                .add(
                        "otel",
                        OtelSink.builder()
                                .property(
                                        "otel.exporter.otlp.endpoint",
                                        receiver.endpoint().toString())
                                .property("otel.exporter.otlp.protocol", "http/protobuf")
                                .build())
                .build();
    }

    public Sinks hub() {
        return hub;
    }

    /** Waits until all that was recorded has arrived. */
    public void settle() {
        hub.flush(LONG);
    }

    @Override
    public void close() throws IOException {
        hub.close(LONG);
        receiver.close();
        folder.close();
    }
}
