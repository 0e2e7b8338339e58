package dev.rlm.recorder;

import static java.util.stream.Collectors.joining;

import dev.rlm.cli.terminal.Spelling;
import dev.rlm.sinks.schema.EventField;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Fields that a kind of object has. A name that is none of them is an error: a misspelt reward is a lost one.
 *
 * @param fields as they are declared, by their names
 * @param standards what stands for fields that are absent, by their names
 */
record Shape(String name, Map<String, EventField> fields, Map<String, Object> standards) {
    static Shape of(String name, List<EventField> declared) {
        Map<String, EventField> fields = new LinkedHashMap<>();
        Map<String, Object> standards = new HashMap<>();
        for (EventField field : declared) {
            fields.put(field.name(), field);
            Object standard = field.standard() == null ? empty(field) : field.standard();
            if (standard != null && !field.isRequired()) {
                standards.put(field.name(), standard);
            }
        }
        return new Shape(name, fields, standards);
    }

    /** Returns what stands for a field that is there always and may be empty; {@code null} for others. */
    private static @Nullable Object empty(EventField declared) {
        if (declared.isNullable()) {
            return null;
        }
        return switch (declared.kind()) {
            case TEXT -> "";
            case VALUES, TEXTS, NUMBERS -> Map.of();
            case WHOLES, DECIMALS, OBJECTS -> List.of();
            case OBJECT -> declared.isAlways() ? null : Map.of();
            default -> null;
        };
    }

    /** One with another name, where a text stands for one of its fields. */
    Shape with(String newName, String field, String standard) {
        Map<String, Object> more = new HashMap<>(standards);
        more.put(field, standard);
        return new Shape(newName, fields, more);
    }

    /** The object's fields as events are read from them, those that are {@code null} left out; {@code null} for no object. */
    @Nullable
    Map<String, Object> read(JsonNode object, ValueReader reader) {
        if (!object.isObject()) {
            return null;
        }
        checkNames(object, reader);
        Map<String, Object> read = new LinkedHashMap<>();
        fields.forEach((field, declared) -> {
            JsonNode given = object.path(field);
            Object standard = standards.get(field);
            if (!given.isMissingNode() && !given.isNull()) {
                read.put(field, reader.read(declared, given));
            } else if (standard != null) {
                read.put(field, standard);
            } else if (declared.isRequired()) {
                throw new LineRefusedException(name + " needs " + field + ", " + ValueReader.expected(declared));
            }
        });
        return read;
    }

    private void checkNames(JsonNode object, ValueReader reader) {
        String unknown = object.propertyNames().stream()
                .filter(key -> !fields.containsKey(key))
                .map(key -> "'" + ValueReader.excerpt(reader.redaction().apply(key)) + "'"
                        + Spelling.suggestion(key, fields.keySet()))
                .limit(5)
                .collect(joining(", "));
        if (!unknown.isEmpty()) {
            throw new LineRefusedException(
                    name + " has no field " + unknown + ": it may have " + String.join(", ", fields.keySet()));
        }
    }
}
