package dev.rlm.sinks.otel.metrics;

import dev.rlm.sinks.otel.mapping.TextLimits;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Labels that name a number: the first names of a process go by themselves, so that the number of series stays bounded. */
final class NameLabels {
    private static final AttributeKey<String> SOURCE = AttributeKey.stringKey("source");
    private static final AttributeKey<String> NAME = AttributeKey.stringKey("name");
    private static final String OTHER = "(other)";
    private static final int MAX_NAMES = 50;

    private final Set<List<String>> known = new HashSet<>();

    /**
     * Returns labels with a name.
     *
     * @param source who gave the number; empty where that is no label
     */
    Attributes of(Attributes labels, String source, String name) {
        List<String> full = List.of(source, name);
        boolean isKnown = known.contains(full) || (known.size() < MAX_NAMES && known.add(full));
        AttributesBuilder named = labels.toBuilder().put(NAME, isKnown ? TextLimits.name(name) : OTHER);
        if (!source.isEmpty()) {
            named.put(SOURCE, isKnown ? TextLimits.name(source) : OTHER);
        }
        return named.build();
    }
}
