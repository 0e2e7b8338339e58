package dev.rlm.sinks.otel;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.trace.SpanLimits;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of a span or of one of its events, within the limits of the SDK: of more names the first ones are kept, and a
 * later value takes the place of an earlier one of the same name.
 */
final class SpanAttributes implements Attributes {
    private final Map<String, Attribute> byName = new LinkedHashMap<>();
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
        boolean known = byName.containsKey(key.getKey());
        total += known ? 0 : 1;
        if (known || byName.size() < maxCount) {
            byName.put(key.getKey(), new Attribute(key, cut(value)));
        }
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
        Attribute found = byName.get(key.getKey());
        return found == null || !found.key().equals(key) ? null : (T) found.value();
    }

    @Override
    public void forEach(BiConsumer<? super AttributeKey<?>, ? super Object> consumer) {
        byName.values().forEach(each -> consumer.accept(each.key(), each.value()));
    }

    @Override
    public int size() {
        return byName.size();
    }

    @Override
    public boolean isEmpty() {
        return byName.isEmpty();
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

    private record Attribute(AttributeKey<?> key, Object value) {}
}
