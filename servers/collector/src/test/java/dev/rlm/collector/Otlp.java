package dev.rlm.collector;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/** Requests of other programs, by OpenTelemetry's own classes. */
final class Otlp {
    /** The trace of all spans that name no other. */
    static final String TRACE = "0000000000000000000000000000002a";

    static final long START = 1_767_323_045_000_000_000L;

    private static final long SECOND = 1_000_000_000;

    private Otlp() {}

    /** A span that begins as many seconds after the start as its number says, and takes half a second; parent 0 for none. */
    static Span span(int id, int parent, String name, Map<String, ?> attributes, Span.Event... events) {
        return of(42, id, parent, name, attributes, events).build();
    }

    static Span.Builder of(
            int trace, int id, int parent, String name, Map<String, ?> attributes, Span.Event... events) {
        return Span.newBuilder()
                .setTraceId(bytes(16, trace))
                .setSpanId(bytes(8, id))
                .setParentSpanId(parent == 0 ? ByteString.EMPTY : bytes(8, parent))
                .setName(name)
                .setStartTimeUnixNano(START + id * SECOND)
                .setEndTimeUnixNano(START + id * SECOND + SECOND / 2)
                .addAllAttributes(attributes(attributes))
                .addAllEvents(List.of(events));
    }

    /** A span that takes so many seconds. */
    static Span lasting(int seconds, Span span) {
        return span.toBuilder()
                .setEndTimeUnixNano(span.getStartTimeUnixNano() + seconds * SECOND)
                .build();
    }

    static Span failed(Span span, String message) {
        return span.toBuilder()
                .setStatus(Status.newBuilder()
                        .setCode(Status.StatusCode.STATUS_CODE_ERROR)
                        .setMessage(message))
                .build();
    }

    static Span.Event event(String name, Map<String, ?> attributes) {
        return Span.Event.newBuilder()
                .setName(name)
                .setTimeUnixNano(START + 60 * SECOND)
                .addAllAttributes(attributes(attributes))
                .build();
    }

    static ExportTraceServiceRequest request(Span... spans) {
        return ofService("my-agent", spans);
    }

    static ExportTraceServiceRequest ofService(String name, Span... spans) {
        return ExportTraceServiceRequest.newBuilder()
                .addResourceSpans(ResourceSpans.newBuilder()
                        .setResource(Resource.newBuilder().addAllAttributes(attributes(Map.of("service.name", name))))
                        .addScopeSpans(ScopeSpans.newBuilder().addAllSpans(List.of(spans))))
                .build();
    }

    private static ByteString bytes(int length, int number) {
        return ByteString.copyFrom(
                ByteBuffer.allocate(length).putInt(length - 4, number).array());
    }

    static List<KeyValue> attributes(Map<String, ?> attributes) {
        return attributes.entrySet().stream()
                .map(each -> KeyValue.newBuilder()
                        .setKey(each.getKey())
                        .setValue(value(each.getValue()))
                        .build())
                .toList();
    }

    private static AnyValue value(Object value) {
        if (value instanceof Integer number) {
            return AnyValue.newBuilder().setIntValue(number).build();
        } else if (value instanceof Double number) {
            return AnyValue.newBuilder().setDoubleValue(number).build();
        } else if (value instanceof Boolean flag) {
            return AnyValue.newBuilder().setBoolValue(flag).build();
        }
        return AnyValue.newBuilder().setStringValue(value.toString()).build();
    }
}
