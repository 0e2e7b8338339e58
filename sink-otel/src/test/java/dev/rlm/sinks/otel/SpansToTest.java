package dev.rlm.sinks.otel;

import static dev.rlm.sinks.testkit.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sink.Acknowledged;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.delivery.DeliveryException;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.testkit.Events;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spans that are given to another sink's exporter. */
@Timeout(60)
class SpansToTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int EVENTS = 10; // of a run of the examples

    @Test
    void spans_goToTheExporterAlone_asTheVariablesDescribeThem() throws IOException {
        Exporter exporter = new Exporter(spans -> null);
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            Map<String, String> variables = Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.grpcEndpoint(),
                    "OTEL_EXPORTER_OTLP_PROTOCOL", "carrier pigeon",
                    "OTEL_TRACES_EXPORTER", "otlp",
                    "OTEL_SDK_DISABLED", "true",
                    "OTEL_SERVICE_NAME", "trainer",
                    "RLM_OTHER_CAPTURE_CONTENT", "none",
                    "RLM_OTEL_SUCCESS_RATIO", "0");
            try (Sinks sinks = hub(builder(exporter, variables).build())) {
                publish(sinks);
                assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
                assertThat(status(sinks).detail()).contains("there", "arrived");
                assertThat(status(sinks).ledger().delivered()).isEqualTo(EVENTS);
            }
            assertThat(receiver.toString()).doesNotContain("rlm");
        }
        assertThat(exporter.taken()).extracting(SpanData::getName).contains("rlm.run", "rlm.step", "chat a-model");
        assertThat(exporter.taken())
                .allSatisfy(span -> assertThat(span.getResource().getAttribute(AttributeKey.stringKey("service.name")))
                        .isEqualTo("trainer"));
        assertThat(exporter.attributes().keySet())
                .contains("rlm.run_id")
                .noneMatch(name -> name.equals("rlm.task") || name.startsWith("mlflow."));
    }

    @Test
    void mlflow_fillsItsColumnsWithoutAHeader() {
        Exporter exporter = new Exporter(spans -> null);
        try (Sinks sinks = hub(builder(exporter, Map.of()).mlflow(true).build())) {
            publish(sinks);
        }
        assertThat(exporter.attributes()).containsKey("mlflow.spanInputs");
    }

    @Test
    void run_thatDoesNotJoinItsParent_isATraceOfItsOwn() {
        Exporter exporter = new Exporter(spans -> null);
        OtelSink sink = builder(exporter, Map.of()).joinParents(false).build();
        String traceId = sink.traceId("r").orElseThrow();
        try (Sinks sinks = hub(sink)) {
            publish(sinks); // whose run has a remote parent
        }
        assertThat(exporter.taken()).extracting(SpanData::getTraceId).containsOnly(traceId);
        assertThat(exporter.taken())
                .filteredOn(span -> span.getName().equals("rlm.run"))
                .singleElement()
                .satisfies(root ->
                        assertThat(root.getParentSpanContext().isValid()).isFalse());
    }

    @Test
    void kinds_accountedElsewhere_areSpansAndCountNowhere() {
        Exporter exporter = new Exporter(spans -> null);
        OtelSink sink = builder(exporter, Map.of())
                .accountedElsewhere(RunStarted.class)
                .accountedElsewhere(RewardGiven.class)
                .build();
        Events.full("r").forEach(event -> {
            if (event instanceof RunEvent) {
                sink.onEvent(event);
            }
        });
        sink.onEvent(Events.full("r", RunStarted.class)); // late
        sink.onEvent(Events.full("r", RewardGiven.class)); // late: a span of its own
        assertThat(sink.flush(PATIENCE)).isTrue();
        assertThat(sink.acknowledged()).isEqualTo(new Acknowledged(EVENTS - 2, Map.of()));
        assertThat(exporter.taken()).extracting(SpanData::getName).contains("rlm.run.started", "rlm.reward");
        sink.close();
    }

    @Test
    void batch_thatMayBeSentAgain_is() {
        AtomicInteger requests = new AtomicInteger();
        Exporter exporter = new Exporter(
                spans -> requests.incrementAndGet() == 1 ? Failure.of("away", "not there", Remedy.RETRY) : null);
        try (Sinks sinks = hub(builder(exporter, Map.of()).build())) {
            publish(sinks);
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
            assertThat(status(sinks).ledger().delivered()).isEqualTo(EVENTS);
        }
        assertThat(requests).hasValueGreaterThan(1);
    }

    @Test
    void badSpan_losesItselfAlone() {
        Exporter exporter = new Exporter(
                spans -> spans.stream().anyMatch(span -> span.getName().equals("rlm.step"))
                        ? Failure.of("refused", "one of them is bad", Remedy.SPLIT)
                        : null);
        try (Sinks sinks = hub(builder(exporter, Map.of()).build())) {
            publish(sinks);
            assertThat(sinks.flush(PATIENCE).isComplete()).isFalse();
            Ledger ledger = status(sinks).ledger();
            assertThat(ledger.dropped()).containsOnlyKeys("refused");
            assertThat(ledger.delivered() + ledger.lost()).isEqualTo(EVENTS);
            assertThat(ledger.queued()).isZero();
        }
        assertThat(exporter.taken()).extracting(SpanData::getName).contains("rlm.run", "chat a-model");
    }

    @Tag("thorough")
    @Test
    void exporter_thatNeverAnswers_doesNotHoldUpTheLane() {
        String text = "x".repeat(1 << 19); // which a dozen runs have more often than there is room for
        OtelSink sink =
                builder(silent(), Map.of("RLM_OTHER_CAPTURE_CONTENT", "full")).build();
        for (int i = 0; i < 12; i++) {
            Events.full("r" + i, text).stream()
                    .filter(RunEvent.class::isInstance)
                    .forEach(sink::onEvent);
        }
        Acknowledged full = sink.acknowledged();
        assertThat(full.dropped()).containsOnlyKeys("buffer_full");
        sink.beginClose(Duration.ofSeconds(1));
        sink.close();
        assertThat(sink.acknowledged().dropped()).containsOnlyKeys("buffer_full", "export_timeout", "closed");
        assertThat(sink.acknowledged().dropped().values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(12 * EVENTS);
    }

    /** Else the hub gives the sink up with all that is still to be handed over. */
    @Tag("thorough")
    @Test
    void lane_doesNotWaitForRoom_whenACloseHasBegun() throws Exception {
        OtelSink sink = spansTo(silent(), Duration.ofDays(1), Map.of("RLM_OTHER_CAPTURE_CONTENT", "full"))
                .build();
        String text = "x".repeat(1 << 19);
        Thread lane = new Thread(() -> {
            for (int i = 0; i < 12; i++) {
                Events.full("r" + i, text).stream()
                        .filter(RunEvent.class::isInstance)
                        .forEach(sink::onEvent);
            }
        });
        lane.start();
        await().until(() -> lane.getState() == Thread.State.TIMED_WAITING); // as there is no room
        sink.beginClose(Duration.ofMinutes(10));
        lane.join();
        Acknowledged handedOver = sink.acknowledged();
        assertThat(handedOver.dropped()).containsOnlyKeys("closed");
        sink.beginClose(Duration.ofSeconds(1));
        sink.close();
        assertThat(sink.acknowledged().dropped().values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(12 * EVENTS);
    }

    private static SpanExporter silent() {
        return new Exporter(spans -> null) {
            @Override
            public CompletableResultCode export(Collection<SpanData> spans) {
                return new CompletableResultCode();
            }
        };
    }

    private static OtelSinkBuilder builder(SpanExporter exporter, Map<String, String> variables) {
        return spansTo(exporter, Duration.ofSeconds(2), variables);
    }

    private static OtelSinkBuilder spansTo(
            SpanExporter exporter, Duration longestStall, Map<String, String> variables) {
        return OtelSink.spansTo(
                exporter, "there", longestStall, SinkConfig.of(variables).sink("other"));
    }

    private static Sinks hub(OtelSink sink) {
        return Sinks.builder().add("other", sink).build();
    }

    private static void publish(Sinks sinks) {
        Events.full("r").stream().filter(RunEvent.class::isInstance).forEach(sinks::publish);
    }

    private static SinkStatus status(Sinks sinks) {
        return sinks.statuses().get(0);
    }

    /** Keeps what it takes, which is what it finds no failure in. */
    private static class Exporter implements SpanExporter {
        private final Function<Collection<SpanData>, Failure> answer;
        private final List<SpanData> taken = new ArrayList<>();

        Exporter(Function<Collection<SpanData>, Failure> answer) {
            this.answer = answer;
        }

        synchronized List<SpanData> taken() {
            return List.copyOf(taken);
        }

        /** Those of all spans. */
        Map<String, Object> attributes() {
            Map<String, Object> all = new HashMap<>();
            taken().forEach(span -> span.getAttributes().forEach((key, value) -> all.put(key.getKey(), value)));
            return all;
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            Failure failure = answer.apply(spans);
            if (failure != null) {
                return CompletableResultCode.ofExceptionalFailure(new DeliveryException(failure));
            }
            synchronized (this) {
                taken.addAll(spans);
            }
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }
}
