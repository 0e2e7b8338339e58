package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.event.Content;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.logs.LogRecordBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of a span, of one of its events or of a log record. Those of the sink's own spans are kept here, within the limits of
 * the SDK: of more names the first ones are kept, and a later value takes the place of an earlier one of the same name. Others are
 * passed on to what they are set on.
 *
 * <p>They keep within the limits of back ends. Names and ids are cut to what Tempo keeps. A number that is not finite is no
 * attribute, because one such number makes Jaeger's search and MLflow's page fail; it is listed in {@code rlm.left_out} instead.
 */
public final class SpanAttributes implements Attributes {
    private static final int ROOM = 16;
    private static final Object[] NOTHING = {};

    /** Attributes of a span of which nothing but its bytes is left. */
    public static final SpanAttributes NONE = new SpanAttributes(0, 0);

    private final @Nullable AttributeConsumer target;
    private final int maxCount;
    private final int maxLength;
    private AttributeKey<?>[] keys;
    private Object[] values;
    private int[] hashes; // of the names
    private int size;
    private int total;
    private List<String> leftOut = List.of(); // as nearly always

    private SpanAttributes(int maxCount, int maxLength) {
        target = null;
        this.maxCount = maxCount;
        this.maxLength = maxLength;
        keys = new AttributeKey<?>[ROOM];
        values = new Object[ROOM];
        hashes = new int[ROOM];
    }

    private SpanAttributes(AttributeConsumer target) {
        this.target = target;
        maxCount = 0;
        maxLength = 0;
        keys = new AttributeKey<?>[0];
        values = NOTHING;
        hashes = new int[0];
    }

    /** Those of a span that has not ended. */
    public static SpanAttributes of(Span span) {
        return span instanceof SpanData own && own.getAttributes() instanceof SpanAttributes kept
                ? kept
                : new SpanAttributes(span::setAttribute);
    }

    public static SpanAttributes of(LogRecordBuilder log) {
        return new SpanAttributes(log::setAttribute);
    }

    public static SpanAttributes of(AttributesBuilder attributes) {
        return new SpanAttributes(attributes::put);
    }

    /** None, yet, of a span of the sink's own. */
    public static SpanAttributes within(SpanLimits limits) {
        return new SpanAttributes(limits.getMaxNumberOfAttributes(), limits.getMaxAttributeValueLength());
    }

    /** The attributes of an event, as they are if they keep within the limits. */
    public static Attributes ofEvent(Attributes attributes, SpanLimits limits) {
        int maxCount = limits.getMaxNumberOfAttributesPerEvent();
        int maxLength = limits.getMaxAttributeValueLength();
        if (attributes.size() <= maxCount && maxLength == Integer.MAX_VALUE) {
            return attributes;
        }
        SpanAttributes limited = new SpanAttributes(maxCount, maxLength);
        attributes.forEach(limited::keep);
        return limited;
    }

    // ---- setting

    /** Sets an attribute as it is. */
    public <T> void put(AttributeKey<T> key, T value) {
        if (target != null) {
            target.set(key, value);
        } else if (!key.getKey().isEmpty()) {
            keep(key, value);
        }
    }

    /** Sets a name or an id; none where there is none. */
    public SpanAttributes set(AttributeKey<String> key, @Nullable String value) {
        if (value != null) {
            put(key, TextLimits.name(value));
        }
        return this;
    }

    public SpanAttributes set(AttributeKey<Long> key, @Nullable Number value) {
        if (value != null) {
            put(key, value.longValue());
        }
        return this;
    }

    SpanAttributes set(AttributeKey<Boolean> key, @Nullable Boolean value) {
        if (value != null) {
            put(key, value);
        }
        return this;
    }

    public SpanAttributes set(AttributeKey<Double> key, @Nullable Double value) {
        if (value == null) {
            return this;
        } else if (Double.isFinite(value)) {
            put(key, value);
        } else {
            leaveOut(key.getKey(), Double.toString(value));
        }
        return this;
    }

    /** Sets names, each as its text. */
    SpanAttributes list(AttributeKey<List<String>> key, List<?> names) {
        put(
                key,
                names.stream()
                        .map(name -> TextLimits.name(String.valueOf(name)))
                        .toList());
        return this;
    }

    /** Sets a text that has been cut already. */
    public SpanAttributes text(AttributeKey<String> key, String value) {
        put(key, Content.wellFormed(value));
        return this;
    }

    /** Sets names under a common prefix. */
    SpanAttributes all(String prefix, Map<String, String> names) {
        names.forEach((name, value) -> any(prefix + name, value));
        return this;
    }

    /** Sets a value that is a string, a number or a boolean; anything else as its text. */
    public SpanAttributes any(String anyName, @Nullable Object value) {
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

    // ---- those that are kept here

    private void keep(AttributeKey<?> key, Object value) {
        String name = key.getKey();
        int at = find(name);
        if (at == size) {
            total++;
            if (size == maxCount) {
                return;
            }
            if (size == keys.length) {
                keys = Arrays.copyOf(keys, 2 * size);
                values = Arrays.copyOf(values, 2 * size);
                hashes = Arrays.copyOf(hashes, 2 * size);
            }
            hashes[size++] = name.hashCode();
        }
        keys[at] = key;
        values[at] = cut(value);
    }

    /** Returns where that name is, or would be added. There are few, as a rule, so that looking at all is faster than a table. */
    private int find(String name) {
        int hash = name.hashCode();
        int at = 0;
        while (at < size && (hashes[at] != hash || !keys[at].getKey().equals(name))) {
            at++;
        }
        return at;
    }

    private Object cut(Object value) {
        if (value instanceof String text) {
            return text.length() <= maxLength ? text : text.substring(0, maxLength);
        }
        return value instanceof List<?> list && maxLength < Integer.MAX_VALUE
                ? list.stream().map(this::cut).toList()
                : value;
    }

    /** Returns the number of attributes that were set, including those above the limit. */
    public int total() {
        return total;
    }

    @Override
    @SuppressWarnings("unchecked") // a key's type is that of its values
    public <T> @Nullable T get(AttributeKey<T> key) {
        int at = find(key.getKey());
        return at < size && keys[at].equals(key) ? (T) values[at] : null;
    }

    @Override
    public void forEach(BiConsumer<? super AttributeKey<?>, ? super Object> consumer) {
        for (int i = 0; i < size; i++) {
            consumer.accept(keys[i], values[i]);
        }
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean isEmpty() {
        return size == 0;
    }

    @Override
    public Map<AttributeKey<?>, Object> asMap() {
        Map<AttributeKey<?>, Object> map = new HashMap<>();
        forEach(map::put);
        return map;
    }

    @Override
    public AttributesBuilder toBuilder() {
        return Attributes.builder().putAll(this);
    }

    /** Takes the attributes of what is not the sink's own. */
    private interface AttributeConsumer {
        <T> void set(AttributeKey<T> key, T value);
    }
}
