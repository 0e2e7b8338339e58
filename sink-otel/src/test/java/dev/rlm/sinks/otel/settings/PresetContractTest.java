package dev.rlm.sinks.otel.settings;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.otel.OtelSinkProvider;
import dev.rlm.sinks.otel.backend.VendorStub;
import dev.rlm.sinks.testkit.SinkContractTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;

/** The contract of sinks, kept where rewards go beside the spans. */
class PresetContractTest extends SinkContractTest {
    private final VendorStub vendor = VendorStub.start();

    PresetContractTest() throws IOException {}

    @AfterEach
    void stop() {
        vendor.close();
    }

    @Override
    protected Sink newSink() {
        return new OtelSinkProvider()
                .create(SinkConfig.of(Map.of(
                                "RLM_OTEL_PRESET",
                                "phoenix",
                                "PHOENIX_COLLECTOR_ENDPOINT",
                                vendor.url(),
                                "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
                                vendor.url() + "/v1/metrics",
                                "RLM_CAPTURE_CONTENT",
                                "full"))
                        .sink("otel"));
    }

    @Override
    protected String everythingWritten() {
        return vendor.requests().stream()
                .map(request -> new String(request.body(), StandardCharsets.UTF_8))
                .collect(Collectors.joining());
    }
}
