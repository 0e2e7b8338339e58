package dev.rlm.sinks.otel.otlp;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.KeyValue;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.common.ValueType;
import io.opentelemetry.api.internal.InternalAttributeKeyImpl;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes spans of one resource and one scope as OTLP's protobuf, each once: a request is a head and the bytes of its spans. What
 * is written is what OpenTelemetry's own exporters write. Of one thread, save {@link #write(List, OutputStream)}.
 */
public final class SpanEncoder {
    private static final int ROOM = 1 << 12; // bytes; a step's span takes less, as a rule
    private static final int REMOTE_KNOWN = 0x100; // flags, of the parent or of what a link names
    private static final int REMOTE = 0x200;

    private final ProtoWriter out = new ProtoWriter(ROOM);
    private final Resource ofSpans;
    private final InstrumentationScopeInfo scopeOfSpans;
    private final byte[] resource; // and its schema
    private final byte[] scope; // and its schema
    private final BiConsumer<AttributeKey<?>, Object> collector = this::collect;
    private Object[] collected = new Object[64]; // bytes of keys, and values, in turn
    private int count; // of these

    public SpanEncoder(Resource resource, InstrumentationScopeInfo scope) {
        this.ofSpans = resource;
        this.scopeOfSpans = scope;
        text(3, resource.getSchemaUrl());
        int before = out.written();
        attributes(1, resource.getAttributes());
        out.message(1, before);
        this.resource = out.bytes();
        out.clear();
        text(3, scope.getSchemaUrl());
        before = out.written();
        attributes(3, scope.getAttributes());
        text(2, scope.getVersion());
        text(1, scope.getName());
        out.message(1, before);
        this.scope = out.bytes();
    }

    /** Writes the request of spans of one resource and one scope, for exporters that take {@link SpanData}. */
    public static void writeAll(Collection<SpanData> spans, OutputStream to) throws IOException {
        if (!spans.isEmpty()) {
            SpanData any = spans.iterator().next();
            SpanEncoder encoder = new SpanEncoder(any.getResource(), any.getInstrumentationScopeInfo());
            encoder.write(spans.stream().map(encoder::encode).toList(), to);
        }
    }

    /** Returns one for spans of that resource. On any thread. */
    public SpanEncoder of(Resource other) {
        return other.equals(ofSpans) ? this : new SpanEncoder(other, scopeOfSpans);
    }

    /** Writes the request of those spans, which that of spans of another resource may follow. On any thread. */
    public void write(List<byte[]> spans, OutputStream to) throws IOException {
        long bytes = spans.stream().mapToLong(span -> span.length).sum();
        ProtoWriter head = new ProtoWriter(scope.length + resource.length + 32);
        head.raw(scope);
        head.length(2, bytes + head.written());
        head.raw(resource);
        head.length(1, bytes + head.written());
        to.write(head.bytes());
        for (byte[] span : spans) {
            to.write(span);
        }
    }

    /** Returns the span as it stands in a request. */
    public byte[] encode(SpanData span) {
        write(span);
        return out.bytes();
    }

    /** Returns how many bytes the span takes in a request. */
    public int size(SpanData span) {
        write(span);
        return out.written();
    }

    /** Returns how many bytes attributes and a body take in a log record. */
    public int size(Attributes attributes, @Nullable Value<?> body) {
        out.clear();
        attributes(6, attributes);
        if (body != null) {
            value(body);
        }
        return out.written();
    }

    private void write(SpanData span) {
        SpanContext context = span.getSpanContext();
        SpanContext parent = span.getParentSpanContext();
        out.clear();
        out.fixed32(16, flags(context, parent));
        status(span.getStatus());
        List<LinkData> links = span.getLinks();
        count(14, span.getTotalRecordedLinks() - links.size());
        for (int i = links.size() - 1; i >= 0; i--) {
            link(links.get(i));
        }
        List<EventData> events = span.getEvents();
        count(12, span.getTotalRecordedEvents() - events.size());
        for (int i = events.size() - 1; i >= 0; i--) {
            event(events.get(i));
        }
        count(10, span.getTotalAttributeCount() - span.getAttributes().size());
        attributes(9, span.getAttributes());
        out.fixed64(8, span.getEndEpochNanos());
        out.fixed64(7, span.getStartEpochNanos());
        out.number(6, kind(span.getKind()));
        text(5, span.getName());
        if (parent.isValid()) {
            out.hex(4, parent.getSpanId());
        }
        state(context.getTraceState());
        out.hex(2, context.getSpanId());
        out.hex(1, context.getTraceId());
        out.message(2, 0);
    }

    private static int kind(SpanKind kind) {
        return switch (kind) {
            case INTERNAL -> 1;
            case SERVER -> 2;
            case CLIENT -> 3;
            case PRODUCER -> 4;
            case CONSUMER -> 5;
        };
    }

    private static int flags(SpanContext context, SpanContext other) {
        int remote = other.isRemote() ? REMOTE : 0;
        return (context.getTraceFlags().asByte() & 0xff) | REMOTE_KNOWN | remote;
    }

    private void status(StatusData status) {
        int before = out.written();
        count(3, status.getStatusCode() == StatusCode.OK ? 1 : status.getStatusCode() == StatusCode.ERROR ? 2 : 0);
        text(2, status.getDescription());
        out.message(15, before);
    }

    private void event(EventData event) {
        int before = out.written();
        count(4, event.getDroppedAttributesCount());
        attributes(3, event.getAttributes());
        text(2, event.getName());
        out.fixed64(1, event.getEpochNanos());
        out.message(11, before);
    }

    private void link(LinkData link) {
        int before = out.written();
        SpanContext context = link.getSpanContext();
        out.fixed32(6, flags(context, context));
        count(5, link.getTotalAttributeCount() - link.getAttributes().size());
        attributes(4, link.getAttributes());
        state(context.getTraceState());
        out.hex(2, context.getSpanId());
        out.hex(1, context.getTraceId());
        out.message(13, before);
    }

    private void state(TraceState state) {
        if (!state.isEmpty()) {
            StringJoiner entries = new StringJoiner(",");
            state.forEach((key, value) -> entries.add(key + "=" + value));
            out.text(3, entries.toString());
        }
    }

    private void count(int field, int number) {
        if (number != 0) {
            out.number(field, number);
        }
    }

    private void text(int field, @Nullable String text) {
        if (text != null && !text.isEmpty()) {
            out.text(field, text);
        }
    }

    // ---- attributes

    private void collect(AttributeKey<?> key, Object value) {
        if (count == collected.length) {
            collected = Arrays.copyOf(collected, 2 * count);
        }
        collected[count++] = key instanceof InternalAttributeKeyImpl<?> known ? known.getKeyUtf8() : utf8(key.getKey());
        collected[count++] = value;
    }

    private void attributes(int field, Attributes attributes) {
        count = 0;
        attributes.forEach(collector);
        int end = count;
        while (count > 0) {
            Object value = collected[--count];
            keyValue(field, (byte[]) collected[--count], value);
        }
        Arrays.fill(collected, 0, end, null);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void keyValue(int field, byte[] key, Object value) {
        int before = out.written();
        value(value);
        out.message(2, before);
        out.bytes(1, key);
        out.message(field, before);
    }

    /** Writes what an {@code AnyValue} holds. */
    private void value(Object value) {
        if (value instanceof String text) {
            out.text(1, text);
        } else if (value instanceof Long number) {
            out.number(3, number);
        } else if (value instanceof Double number) {
            out.fixed64(4, Double.doubleToRawLongBits(number));
        } else if (value instanceof Boolean flag) {
            out.number(2, flag ? 1 : 0);
        } else if (value instanceof List<?> list) {
            list(list);
        } else if (value instanceof Value<?> any) {
            value(any);
        }
    }

    private void value(Value<?> any) {
        if (any.getValue() instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            out.bytes(7, bytes);
        } else if (any.getType() == ValueType.KEY_VALUE_LIST) {
            int before = out.written();
            List<?> entries = (List<?>) any.getValue();
            for (int i = entries.size() - 1; i >= 0; i--) {
                KeyValue entry = (KeyValue) entries.get(i);
                keyValue(1, utf8(entry.getKey()), entry.getValue());
            }
            out.message(6, before);
        } else if (any.getType() != ValueType.EMPTY) {
            value(any.getValue());
        }
    }

    private void list(List<?> values) {
        int before = out.written();
        for (int i = values.size() - 1; i >= 0; i--) {
            int element = out.written();
            value(values.get(i));
            out.message(1, element);
        }
        out.message(5, before);
    }
}
