package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.io.OutputStream;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which OpenTelemetry a sink uses in a program that has set a global one. */
class GlobalOpenTelemetryTest {
    private static final String GLOBAL = "the global OpenTelemetry of the program";

    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder().build();

    @BeforeEach
    void set() {
        GlobalOpenTelemetry.set(sdk);
    }

    @AfterEach
    void reset() {
        GlobalOpenTelemetry.resetForTest();
        sdk.close();
    }

    @Test
    void sink_ofWhichNothingIsSaid_usesIt() {
        isGlobal(OtelSink.builder().build());
        isGlobal(OtelSink.builder().metrics(false).build());
        isGlobal(configured(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4317")));
    }

    @Test
    void sink_thatIsToldOtherwise_hasItsOwn() {
        isOwn(OtelSink.builder().ownSdk().build());
        isOwn(OtelSink.builder().endpoint(URI.create("http://localhost:1")).build());
        isOwn(OtelSink.builder().header("x-key", "a-key").build());
        isOwn(configured(Map.of("RLM_OTEL_SDK", "own")));
    }

    @Test
    void sink_thatIsGivenOne_usesThat() {
        try (Sink sink = OtelSink.builder().openTelemetry(sdk).ownSdk().build()) {
            assertThat(sink.status().detail()).isEqualTo("an OpenTelemetry of the program's own");
        }
    }

    @Test
    void furtherSink_hasItsOwn_unlessItIsTold() {
        isOwn(further(Map.of()));
        isOwn(further(Map.of("RLM_OTEL_SDK", "auto")));
        isGlobal(further(Map.of("RLM_OTEL_SDK", "own", "RLM_OTEL_X_SDK", "auto")));
        assertThatThrownBy(() -> further(Map.of("RLM_OTEL_X_SDK", "global")))
                .isInstanceOf(SinkConfigException.class)
                .hasMessage("RLM_OTEL_X_SDK=global is not valid: expected one of auto, own");
    }

    /** Ids must be the same each time. */
    @Test
    void sink_thatSendsAgain_hasItsOwn() {
        SinkConfig config = SinkConfig.of(Map.of("RLM_OTEL_ENABLED", "true", "RLM_JSONL_ENABLED", "false"));
        try (Sinks sinks = Sinks.builder().config(config).resending().build()) {
            assertThat(sinks.statuses().get(0).detail()).doesNotContain("global");
        }
        isOwn(new OtelSinkProvider().createExport("otlp", OutputStream.nullOutputStream(), SinkConfig.of(Map.of())));
    }

    @Test
    void noSink_setsOne() {
        GlobalOpenTelemetry.resetForTest();
        isOwn(OtelSink.builder().build());
        isOwn(configured(Map.of()));

        assertThat(GlobalOpenTelemetry.isSet()).isFalse();
        isGlobalOnceSet();
    }

    private void isGlobalOnceSet() {
        GlobalOpenTelemetry.set(sdk); // which fails where somebody has got it before
        isGlobal(OtelSink.builder().build());
    }

    private static OtelSink configured(Map<String, String> variables) {
        return (OtelSink) new OtelSinkProvider().create(SinkConfig.of(variables).sink("otel"));
    }

    private static Sink further(Map<String, String> variables) {
        Map<String, String> all = new HashMap<>(variables);
        all.put("RLM_OTEL_X_EXPORTER_OTLP_ENDPOINT", "http://localhost:1");
        return new OtelSinkProvider().create(SinkConfig.of(all).sink("otel-x"));
    }

    private static void isGlobal(Sink sink) {
        try (sink) {
            assertThat(sink.status().detail()).isEqualTo(GLOBAL);
        }
    }

    private static void isOwn(Sink sink) {
        try (sink) {
            assertThat(sink.status().detail()).doesNotContain(GLOBAL).isNotEmpty();
        }
    }
}
