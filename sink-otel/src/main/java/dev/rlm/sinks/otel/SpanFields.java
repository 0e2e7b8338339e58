package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.Content;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.logs.LogRecordBuilder;
import io.opentelemetry.api.trace.Span;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sets the attributes of one span, or of one log record, within the limits of back ends. Names and ids are cut to what Tempo keeps. A number that
 * is not finite is no attribute, because one such number makes Jaeger's search and MLflow's page fail; it is listed in
 * {@code rlm.left_out} instead.
 */
final class SpanFields {
    private final Setter setter;
    private List<String> leftOut = List.of(); // as nearly always

    private SpanFields(Setter setter) {
        this.setter = setter;
    }

    static SpanFields of(Span span) {
        return new SpanFields(span::setAttribute);
    }

    static SpanFields of(LogRecordBuilder log) {
        return new SpanFields(log::setAttribute);
    }

    static SpanFields of(AttributesBuilder attributes) {
        return new SpanFields(attributes::put);
    }

    /** Sets an attribute as it is. */
    <T> void put(AttributeKey<T> key, T value) {
        setter.set(key, value);
    }

    /** Sets a name or an id; none where there is none. */
    SpanFields set(AttributeKey<String> key, @Nullable String value) {
        if (value != null) {
            put(key, ContentCapture.name(value));
        }
        return this;
    }

    SpanFields set(AttributeKey<Long> key, @Nullable Number value) {
        if (value != null) {
            put(key, value.longValue());
        }
        return this;
    }

    SpanFields set(AttributeKey<Boolean> key, boolean value) {
        put(key, value);
        return this;
    }

    SpanFields set(AttributeKey<Double> key, double value) {
        if (Double.isFinite(value)) {
            put(key, value);
        } else {
            leaveOut(key.getKey(), Double.toString(value));
        }
        return this;
    }

    /** Sets names, each as its text. */
    SpanFields list(AttributeKey<List<String>> key, List<?> names) {
        put(
                key,
                names.stream()
                        .map(name -> ContentCapture.name(String.valueOf(name)))
                        .toList());
        return this;
    }

    /** Sets a text that has been cut already. */
    SpanFields text(AttributeKey<String> key, String value) {
        put(key, Content.wellFormed(value));
        return this;
    }

    /** Sets names under a common prefix. */
    SpanFields all(String prefix, Map<String, String> names) {
        names.forEach((name, value) -> any(prefix + name, value));
        return this;
    }

    /** Sets a value that is a string, a number or a boolean; anything else as its text. */
    SpanFields any(String anyName, @Nullable Object value) {
        String name = Content.wellFormed(anyName);
        if (value instanceof Boolean flag) {
            set(AttributeKey.booleanKey(name), flag.booleanValue());
        } else if (value instanceof Double || value instanceof Float) {
            set(AttributeKey.doubleKey(name), ((Number) value).doubleValue());
        } else if (value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte) {
            set(AttributeKey.longKey(name), (Number) value);
        } else if (value != null) {
            set(AttributeKey.stringKey(name), value.toString());
        }
        return this;
    }

    /** Says that there was something that no attribute can hold. */
    void leaveOut(String name, String why) {
        leftOut = Stream.concat(leftOut.stream(), Stream.of(name + "=" + why)).toList();
        put(Names.LEFT_OUT, leftOut);
    }

    /** Takes the attributes of what is described. */
    private interface Setter {
        <T> void set(AttributeKey<T> key, T value);
    }
}
