package dev.rlm.sinks.otel;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.otel.mapping.SpanAttributes;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Entries of a run's incoming baggage that each of its spans has as attributes, under their own keys.
 *
 * @param keys whichever of them the baggage has
 */
record BaggageAttributes(List<String> keys) {
    static final BaggageAttributes NONE = new BaggageAttributes(List.of());

    private static final String VARIABLE = "RLM_BAGGAGE_ATTRIBUTES";
    private static final Pattern KEY = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+"); // a token of RFC 7230

    BaggageAttributes {
        keys = List.copyOf(keys);
        invalid(keys).ifPresent(key -> {
            throw new IllegalArgumentException("'" + key + "' is no key of baggage");
        });
    }

    /**
     * Those that the configuration names.
     *
     * @throws SinkConfigException if one of them is no key
     */
    static BaggageAttributes of(SinkConfig config) {
        List<String> keys = config.shared().string(VARIABLE).stream()
                .flatMap(all -> Stream.of(all.split(",", -1)))
                .map(String::strip)
                .toList();
        invalid(keys).ifPresent(key -> {
            throw new SinkConfigException(VARIABLE + " is not valid at '" + key
                    + "': expected keys of baggage, separated by commas, such as user.id,tenant");
        });
        return new BaggageAttributes(keys);
    }

    private static Optional<String> invalid(List<String> keys) {
        return keys.stream().filter(key -> !KEY.matcher(key).matches()).findFirst();
    }

    /** The attributes of that run's spans. */
    Attributes of(RunInfo run) {
        TraceContext parent = run.parent();
        if (keys.isEmpty() || parent == null) {
            return Attributes.empty();
        }
        AttributesBuilder attributes = Attributes.builder();
        SpanAttributes fields = SpanAttributes.of(attributes);
        keys.forEach(
                key -> parent.baggageEntry(key).ifPresent(value -> fields.set(AttributeKey.stringKey(key), value)));
        return attributes.build();
    }
}
