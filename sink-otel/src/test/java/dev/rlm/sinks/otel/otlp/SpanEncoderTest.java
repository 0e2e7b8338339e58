package dev.rlm.sinks.otel.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.common.KeyValue;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.internal.otlp.traces.TraceRequestMarshaler;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Spans as the sink writes them, beside what OpenTelemetry's own exporters write of them. */
class SpanEncoderTest {
    private static final Resource RESOURCE = Resource.create(all("resource.").build(), "https://example.test/resource");
    private static final List<String> TEXTS = Stream.concat(
                    Stream.of(
                            "",
                            "a",
                            "ü",
                            "語",
                            "😀",
                            "\0",
                            "half \uD83D",
                            "\uDE00 half",
                            "\uDE00\uD83D",
                            "\uD83D\uD83D\uDE00"),
                    Stream.of(47, 48, 49, 127, 128, 200, 70_000)
                            .flatMap(length ->
                                    Stream.of("x", "é", "語", "\uD83D").map(unit -> "y".repeat(length - 1) + unit)))
            .toList();
    private static final List<Long> NUMBERS =
            List.of(0L, 1L, -1L, 127L, 128L, 16_383L, 16_384L, 1L << 56, Long.MAX_VALUE, Long.MIN_VALUE);
    private static final List<Double> DOUBLES =
            List.of(0.0, -0.0, 0.1, Double.MIN_VALUE, Double.MAX_VALUE, Double.NaN, Double.POSITIVE_INFINITY);

    static Stream<Named<Consumer<Span>>> span_isWhatTheExportersWrite() {
        return Stream.of(
                Named.of("nothing", span -> {}),
                Named.of("all attributes", span -> span.setAllAttributes(all("").build())),
                Named.of("texts", span -> each(TEXTS, (i, text) -> span.setAttribute("text " + i + text, text))),
                Named.of("numbers", span -> each(NUMBERS, (i, number) -> span.setAttribute("number " + i, number))),
                Named.of("doubles", span -> each(DOUBLES, (i, number) -> span.setAttribute("double " + i, number))),
                Named.of("name", span -> span.updateName("half \uD83D")),
                Named.of("no name", span -> span.updateName("")),
                Named.of("ok", span -> span.setStatus(StatusCode.OK)),
                Named.of("error", span -> span.setStatus(StatusCode.ERROR, "why \uD83D")),
                Named.of("error without reason", span -> span.setStatus(StatusCode.ERROR)),
                Named.of("many attributes", span -> {
                    for (int i = 0; i < 300; i++) {
                        span.setAttribute("attribute " + i, i);
                    }
                }),
                Named.of("events", span -> {
                    span.addEvent("first", all("event.").build(), Instant.ofEpochSecond(7, 8));
                    span.addEvent("", Attributes.empty(), Instant.EPOCH);
                    for (int i = 0; i < 200; i++) {
                        span.addEvent("event " + i, Attributes.of(AttributeKey.longKey("i"), (long) i));
                    }
                }));
    }

    private static <T> void each(List<T> values, BiConsumer<Integer, T> consumer) {
        for (int i = 0; i < values.size(); i++) {
            consumer.accept(i, values.get(i));
        }
    }

    /** An attribute of each kind, empty ones and nested ones. */
    private static AttributesBuilder all(String prefix) {
        return Attributes.builder()
                .put(prefix + "text", "text")
                .put(prefix + "number", 7)
                .put(prefix + "double", 0.5)
                .put(prefix + "flag", true)
                .put(prefix + "no flag", false)
                .put(AttributeKey.stringArrayKey(prefix + "texts"), TEXTS)
                .put(AttributeKey.longArrayKey(prefix + "numbers"), NUMBERS)
                .put(AttributeKey.doubleArrayKey(prefix + "doubles"), DOUBLES)
                .put(AttributeKey.booleanArrayKey(prefix + "flags"), List.of(true, false))
                .put(AttributeKey.stringArrayKey(prefix + "no texts"), List.of())
                .put(AttributeKey.valueKey(prefix + "bytes"), Value.of(new byte[] {0, -1, 127}))
                .put(AttributeKey.valueKey(prefix + "nothing"), Value.empty())
                .put(AttributeKey.valueKey(prefix + "no entries"), Value.of(new KeyValue[0]))
                .put(
                        AttributeKey.valueKey(prefix + "entries"),
                        Value.of(
                                KeyValue.of("list", Value.of(Value.of("a"), Value.of(1), Value.of(Value.of(true)))),
                                KeyValue.of("", Value.of(0.25)),
                                KeyValue.of("inner", Value.of(KeyValue.of("half \uD83D", Value.of("")))),
                                KeyValue.of("bytes", Value.of(new byte[0]))));
    }

    @ParameterizedTest
    @MethodSource
    void span_isWhatTheExportersWrite(Consumer<Span> description) throws IOException {
        for (SpanKind kind : SpanKind.values()) {
            assertSame(spans(SpanLimits.getDefault(), builder -> builder.setSpanKind(kind), description));
        }
    }

    @ParameterizedTest
    @MethodSource("span_isWhatTheExportersWrite")
    void limits_areToldAsTheExportersTellThem(Consumer<Span> description) throws IOException {
        SpanLimits limits = SpanLimits.builder()
                .setMaxNumberOfAttributes(5)
                .setMaxNumberOfAttributesPerEvent(3)
                .setMaxNumberOfAttributesPerLink(2)
                .setMaxNumberOfEvents(4)
                .setMaxNumberOfLinks(1)
                .setMaxAttributeValueLength(60)
                .build();
        assertSame(spans(limits, SpanEncoderTest::linked, description));
    }

    @Test
    void parents_andLinks_areWhatTheExportersWrite() throws IOException {
        for (TraceState state : List.of(
                TraceState.getDefault(),
                TraceState.builder().put("one", "1").build(),
                TraceState.builder().put("one", "1").put("two@vendor", "a b").build())) {
            for (int flags : new int[] {1, 3, 0x81, 0xff}) {
                for (boolean remote : new boolean[] {false, true}) {
                    TraceFlags parentFlags = TraceFlags.fromByte((byte) flags);
                    SpanContext parent = context(parentFlags, state, remote);
                    assertSame(spans(
                            SpanLimits.getDefault(),
                            builder -> linked(builder.setParent(Context.root().with(Span.wrap(parent))))
                                    .addLink(parent, all("link.").build()),
                            span -> {}));
                }
            }
        }
    }

    private static SpanBuilder linked(SpanBuilder builder) {
        SpanContext other = context(TraceFlags.getDefault(), TraceState.getDefault(), true);
        return builder.addLink(other, all("link.").build()).addLink(other);
    }

    private static SpanContext context(TraceFlags flags, TraceState state, boolean remote) {
        String traceId = "0af7651916cd43dd8448eb211c80319c";
        String spanId = "b7ad6b7169203331";
        return remote
                ? SpanContext.createFromRemoteParent(traceId, spanId, flags, state)
                : SpanContext.create(traceId, spanId, flags, state);
    }

    @Test
    void severalSpans_areWhatTheExportersWrite() throws IOException {
        List<Consumer<Span>> descriptions =
                span_isWhatTheExportersWrite().map(Named::getPayload).collect(Collectors.toCollection(ArrayList::new));
        while (descriptions.size() < 40) {
            descriptions.add(span -> span.setAttribute("long", "a".repeat(200_000)));
            assertSame(spans(SpanLimits.getDefault(), builder -> builder, descriptions));
        }
    }

    private static List<SpanData> spans(
            SpanLimits limits, UnaryOperator<SpanBuilder> start, Consumer<Span> description) {
        return spans(limits, start, List.of(description));
    }

    private static List<SpanData> spans(
            SpanLimits limits, UnaryOperator<SpanBuilder> start, List<Consumer<Span>> descriptions) {
        List<SpanData> ended = new ArrayList<>();
        try (SdkTracerProvider tracers = SdkTracerProvider.builder()
                .setResource(RESOURCE)
                .setSpanLimits(limits)
                .addSpanProcessor(SimpleSpanProcessor.create(new Kept(ended)))
                .build()) {
            Tracer tracer = tracers.tracerBuilder("scope")
                    .setInstrumentationVersion("1.2")
                    .setSchemaUrl("https://example.test/scope")
                    .build();
            for (Consumer<Span> description : descriptions) {
                Span span = start.apply(tracer.spanBuilder("span")).startSpan();
                description.accept(span);
                span.end();
            }
        }
        assertThat(ended).hasSameSizeAs(descriptions);
        return ended;
    }

    private static void assertSame(List<SpanData> spans) throws IOException {
        SpanData any = spans.get(0);
        SpanEncoder encoder = new SpanEncoder(any.getResource(), any.getInstrumentationScopeInfo());
        List<byte[]> encoded = spans.stream().map(encoder::encode).toList();
        assertThat(spans.stream().map(encoder::size).toList())
                .isEqualTo(encoded.stream().map(bytes -> bytes.length).toList());
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        encoder.write(encoded, written);
        ByteArrayOutputStream golden = new ByteArrayOutputStream();
        TraceRequestMarshaler.create(spans).writeBinaryTo(golden);
        assertThat(parsed(written)).isEqualTo(parsed(golden));
    }

    private static ExportTraceServiceRequest parsed(ByteArrayOutputStream bytes) throws InvalidProtocolBufferException {
        return ExportTraceServiceRequest.parseFrom(bytes.toByteArray());
    }

    /** Keeps what it takes. */
    private record Kept(List<SpanData> spans) implements SpanExporter {
        @Override
        public CompletableResultCode export(Collection<SpanData> some) {
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
