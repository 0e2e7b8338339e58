package dev.rlm.journal;

import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.RecordSchema;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The ids that join a run to a trainer or a data set, by short names; only those that are there. */
final class Ids {
    private Ids() {}

    static Map<String, Object> of(Correlation ids) {
        Map<String, Object> byName = new LinkedHashMap<>();
        RecordSchema.of(Correlation.class).fields().stream()
                .sorted(Comparator.comparing(field -> !field.name().equals("sample_id"))) // what people look for first
                .forEach(field -> put(byName, field, field.get(ids)));
        return byName;
    }

    private static void put(Map<String, Object> byName, EventField field, @Nullable Object value) {
        if (value != null) {
            byName.put(field.name().replaceFirst("_(id|index|version)$", "").replace('_', '-'), value);
        }
    }
}
