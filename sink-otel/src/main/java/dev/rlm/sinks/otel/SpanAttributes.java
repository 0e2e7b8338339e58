package dev.rlm.sinks.otel;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.trace.SpanLimits;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of a span or of one of its events, within the limits of the SDK: of more names the first ones are kept, and a
 * later value takes the place of an earlier one of the same name.
 */
final class SpanAttributes implements Attributes {
    static final SpanAttributes NONE = new SpanAttributes(0, 0);

    private static final int ROOM = 16;

    private AttributeKey<?>[] keys = new AttributeKey<?>[ROOM];
    private Object[] values = new Object[ROOM];
    private int[] hashes = new int[ROOM]; // of the names
    private int size;
    private final int maxCount;
    private final int maxLength;
    private int total;

    private SpanAttributes(int maxCount, int maxLength) {
        this.maxCount = maxCount;
        this.maxLength = maxLength;
    }

    static SpanAttributes ofSpan(SpanLimits limits) {
        return new SpanAttributes(limits.getMaxNumberOfAttributes(), limits.getMaxAttributeValueLength());
    }

    /** The attributes of an event, as they are if they keep within the limits. */
    static Attributes ofEvent(Attributes attributes, SpanLimits limits) {
        int maxCount = limits.getMaxNumberOfAttributesPerEvent();
        int maxLength = limits.getMaxAttributeValueLength();
        if (attributes.size() <= maxCount && maxLength == Integer.MAX_VALUE) {
            return attributes;
        }
        SpanAttributes limited = new SpanAttributes(maxCount, maxLength);
        attributes.forEach(limited::put);
        return limited;
    }

    void put(AttributeKey<?> key, Object value) {
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

    /** How many there would be without a limit. */
    int total() {
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
}
