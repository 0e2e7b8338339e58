package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.SpanRecordedBuilder;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.StandaloneSpanRecordedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.ToolCalledBuilder;
import dev.rlm.sinks.otel.export.ExporterConfig;
import dev.rlm.sinks.otel.mapping.GenAiVersions;
import dev.rlm.sinks.otel.otlp.SpanEncoder;
import dev.rlm.sinks.otel.spans.Ids;
import dev.rlm.sinks.otel.spans.Ids.Kind;
import dev.rlm.sinks.otel.spans.OwnSpan;
import dev.rlm.sinks.otel.spans.Part;
import dev.rlm.sinks.testkit.Events;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.exporter.internal.otlp.traces.TraceRequestMarshaler;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Spans that the sink makes itself, beside those that OpenTelemetry's SDK builds of the same events. */
class OwnSpanTest {
    private static final String RUN = "r";
    private static final String STANDALONE =
            Events.full(RUN, StandaloneSpanRecorded.class).spanId();
    private static final Ids IDS = Ids.of(RUN);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Map<String, String> TIGHT = Map.of(
            "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "7",
            "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "9",
            "OTEL_SPAN_EVENT_COUNT_LIMIT", "2",
            "OTEL_SPAN_LINK_COUNT_LIMIT", "0",
            "RLM_BAGGAGE_ATTRIBUTES", "key,rlm.run_id");
    private static final SpanLimits TIGHT_LIMITS = SpanLimits.builder()
            .setMaxNumberOfAttributes(7)
            .setMaxAttributeValueLength(9)
            .setMaxNumberOfEvents(2)
            .setMaxNumberOfLinks(0)
            .build();
    private static final SpanLimits LIMITS =
            SpanLimits.builder().setMaxNumberOfAttributes(1_024).build();

    /** Events, the ids of the spans that begin with them in that order, the sink's variables, and the limits that they set. */
    static Stream<Arguments> requests_areThoseOfTheSdk() {
        List<String> full = Stream.concat(
                        start(2),
                        Stream.of(id(Kind.MODEL_CALL, 3), id(Kind.TOOL_CALL, 4), work(5), work(6), STANDALONE))
                .toList();
        List<String> minimal = Stream.concat(
                        start(2), Stream.of(id(Kind.MODEL_CALL, 3), id(Kind.TOOL_CALL, 4), work(6), STANDALONE))
                .toList();
        List<String> many = start(2).toList();
        return Stream.of(
                Arguments.of(Events.full(RUN), full, Map.of("RLM_CAPTURE_CONTENT", "full"), LIMITS),
                Arguments.of(Events.full(RUN), full, TIGHT, TIGHT_LIMITS),
                Arguments.of(Events.minimal(RUN), minimal, Map.of(), LIMITS),
                Arguments.of(Events.minimal(RUN), minimal, TIGHT, TIGHT_LIMITS),
                Arguments.of(linkedWithManyRewards(), many, Map.of(), LIMITS),
                Arguments.of(linkedWithManyRewards(), many, TIGHT, TIGHT_LIMITS));
    }

    private static Stream<String> start(long step) {
        return Stream.of(id(Kind.RUN, 1), id(Kind.MARKER, 1), id(Kind.STEP, step));
    }

    private static String work(long seq) {
        return id(Kind.WORK, seq);
    }

    private static String id(Kind kind, long seq) {
        return IDS.spanId(kind, seq);
    }

    /** A run whose parent run is known by its id alone. */
    private static List<Event> linkedWithManyRewards() {
        Published run = new Published(RunInfoBuilder.builder(new Published(RUN).info())
                .correlation(CorrelationBuilder.builder().parentRun("parent").build())
                .build());
        StepStarted step = run.step(2, 1);
        List<Event> events = new ArrayList<>(List.of(run.started(), step));
        for (int seq = 3; seq < 203; seq++) {
            events.add(run.reward(seq, 1, seq, seq));
        }
        events.addAll(List.of(run.stepEnded(203, step), run.ended(204)));
        return events;
    }

    @ParameterizedTest
    @MethodSource
    void requests_areThoseOfTheSdk(
            List<Event> events, List<String> ids, Map<String, String> variables, SpanLimits limits) throws IOException {
        Kept own = new Kept();
        try (OtelSink sink = OtelSinkProvider.spans(OtelSink.builder(), config(variables))
                .outlet(ExporterConfig.notAwaited(own, "there", PATIENCE))
                .build()) {
            publish(events, sink);
            assertThat(sink.flush(PATIENCE)).isTrue();
        }
        Kept built = new Kept();
        Resource resource = own.spans.get(0).getResource();
        try (OpenTelemetrySdk sdk = sdk(built, resource, limits, ids);
                OtelSink sink = OtelSinkProvider.spans(OtelSink.builder(), config(variables))
                        .openTelemetry(sdk)
                        .build()) {
            publish(events, sink);
        }
        assertThat(own.spans).isNotEmpty().hasOnlyElementsOfType(OwnSpan.class);
        assertThat(built.spans).doesNotHaveAnyElementsOfTypes(OwnSpan.class);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        SpanEncoder.writeAll(own.spans, written);
        ByteArrayOutputStream golden = new ByteArrayOutputStream();
        TraceRequestMarshaler.create(built.spans).writeBinaryTo(golden);
        assertThat(request(written)).isEqualTo(request(golden));
    }

    private static SinkConfig config(Map<String, String> variables) {
        return SinkConfig.of(variables).sink(OtelSinkProvider.NAME);
    }

    /**
     * Without what an event says of the event that it lies in: of a span's start an injected SDK hears too late for that. A span of no
     * run lies in another one, since such an SDK puts the first of a trace below the id that it was to have.
     */
    private static void publish(List<Event> events, OtelSink sink) {
        for (Event event : events) {
            if (event instanceof ModelCalled call) {
                sink.onEvent(ModelCalledBuilder.builder(call).parentSeq(0).build());
            } else if (event instanceof ToolCalled call) {
                sink.onEvent(ToolCalledBuilder.builder(call).parentSeq(0).build());
            } else if (event instanceof SpanRecorded span) {
                sink.onEvent(SpanRecordedBuilder.builder(span).parentSeq(0).build());
            } else if (event instanceof StandaloneSpanRecorded span) {
                sink.onEvent(StandaloneSpanRecordedBuilder.builder(span)
                        .parentSpanId("00f067aa0ba902b8")
                        .build());
            } else {
                sink.onEvent(event);
            }
        }
    }

    private static OpenTelemetrySdk sdk(SpanExporter exporter, Resource resource, SpanLimits limits, List<String> ids) {
        Iterator<String> next = ids.iterator();
        IdGenerator generator = new IdGenerator() {
            @Override
            public String generateSpanId() {
                return next.next();
            }

            @Override
            public String generateTraceId() {
                return IDS.traceId();
            }
        };
        SdkTracerProvider tracers = SdkTracerProvider.builder()
                .setIdGenerator(generator)
                .setResource(resource)
                .setSpanLimits(limits)
                .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                .build();
        return OpenTelemetrySdk.builder().setTracerProvider(tracers).build();
    }

    /** The request as it is decoded, in which attributes and spans have an order. */
    private static ExportTraceServiceRequest request(ByteArrayOutputStream bytes) throws IOException {
        ExportTraceServiceRequest.Builder request =
                ExportTraceServiceRequest.parseFrom(bytes.toByteArray()).toBuilder();
        for (ResourceSpans.Builder resource : request.getResourceSpansBuilderList()) {
            for (ScopeSpans.Builder scope : resource.getScopeSpansBuilderList()) {
                List<Span> ordered = scope.getSpansList().stream()
                        .map(OwnSpanTest::ordered)
                        .sorted(Comparator.comparing(span -> span.getSpanId().toStringUtf8()))
                        .toList();
                scope.clearSpans().addAllSpans(ordered);
            }
        }
        return request.build();
    }

    private static Span ordered(Span span) {
        Span.Builder builder = span.toBuilder();
        builder.clearAttributes().addAllAttributes(ordered(span.getAttributesList()));
        builder.getEventsBuilderList().forEach(event -> {
            List<KeyValue> attributes = ordered(event.getAttributesList());
            event.clearAttributes().addAllAttributes(attributes);
        });
        return builder.build();
    }

    private static List<KeyValue> ordered(List<KeyValue> attributes) {
        return attributes.stream()
                .sorted(Comparator.comparing(KeyValue::getKey))
                .toList();
    }

    @Test
    void span_thatHasEnded_doesNotChange() {
        OwnSpan span = span();
        span.setAttribute("name", "first").setStatus(StatusCode.ERROR, "why").end(Instant.EPOCH.plusSeconds(2));
        span.setAttribute("name", "second")
                .addEvent("late")
                .setStatus(StatusCode.OK)
                .updateName("late")
                .end(Instant.EPOCH.plusSeconds(3));

        assertThat(span.hasEnded()).isTrue();
        assertThat(span.isRecording()).isFalse();
        assertThat(span.getName()).isEqualTo("span");
        assertThat(span.getEndEpochNanos()).isEqualTo(2_000_000_000L);
        assertThat(span.getTotalRecordedEvents()).isZero();
        assertThat(span.getStatus().getDescription()).isEqualTo("why");
        assertThat(span.getAttributes().asMap()).isEqualTo(Map.of(AttributeKey.stringKey("name"), "first"));
    }

    @Test
    void name_hasOneValue_whateverItsType() {
        OwnSpan span = span();
        span.setAttribute("name", "text").setAttribute("name", 7);

        Map<AttributeKey<?>, Object> each = new HashMap<>();
        span.getAttributes().forEach(each::put);
        assertThat(each).isEqualTo(Map.of(AttributeKey.longKey("name"), 7L));
        assertThat(span.getAttributes().get(AttributeKey.stringKey("name"))).isNull();
        assertThat(span.getAttributes().get(AttributeKey.longKey("name"))).isEqualTo(7);
        assertThat(span.getAttributes().toBuilder().build()).isEqualTo(Attributes.of(AttributeKey.longKey("name"), 7L));
        assertThat(span.getTotalAttributeCount()).isOne();
    }

    private static OwnSpan span() {
        Part part = new Part("span", Kind.WORK, SpanKind.INTERNAL, 1, 0, 0, Instant.EPOCH, null);
        return new OwnSpan(
                Resource.empty(),
                GenAiVersions.DEFAULT.scope(),
                LIMITS,
                part,
                SpanContext.getInvalid(),
                SpanContext.getInvalid(),
                List.of());
    }

    /** Keeps what it takes. */
    private static final class Kept implements SpanExporter {
        private final List<SpanData> spans = new ArrayList<>();

        @Override
        public synchronized CompletableResultCode export(Collection<SpanData> some) {
            spans.addAll(some);
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
