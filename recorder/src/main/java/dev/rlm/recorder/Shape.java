package dev.rlm.recorder;

import static java.util.stream.Collectors.joining;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Fields that a kind of object has. A name that is none of them is an error: a misspelt reward is a lost one.
 *
 * @param fields by their names; of several of one name the last counts, at the place of the first
 */
record Shape(String name, Map<String, Field> fields) {
    static Shape of(String name, List<Field> fields) {
        Map<String, Field> byName = new LinkedHashMap<>();
        fields.forEach(field -> byName.put(field.name(), field));
        return new Shape(name, byName);
    }

    /** The object's fields as events are read from them, those that are {@code null} left out; {@code null} for no object. */
    @Nullable
    Map<String, Object> read(JsonNode object, UnaryOperator<String> redaction) {
        if (!object.isObject()) {
            return null;
        }
        checkNames(object, redaction);
        Map<String, Object> read = new LinkedHashMap<>();
        for (Field field : fields.values()) {
            JsonNode given = object.path(field.name());
            if (!given.isMissingNode() && !given.isNull()) {
                read.put(field.name(), field.kind().read(field.name(), given, redaction));
            } else if (field.required()) {
                throw new RefusedException(
                        name + " needs " + field.name() + ", " + field.kind().expected());
            } else if (field.standard() != null) {
                read.put(field.name(), field.standard());
            }
        }
        return read;
    }

    private void checkNames(JsonNode object, UnaryOperator<String> redaction) {
        String unknown = object.propertyNames().stream()
                .filter(key -> !fields.containsKey(key))
                .map(key -> "'" + Kind.excerpt(redaction.apply(key)) + "'" + Spelling.suggestion(key, fields.keySet()))
                .limit(5)
                .collect(joining(", "));
        if (!unknown.isEmpty()) {
            throw new RefusedException(
                    name + " has no field " + unknown + ": it may have " + String.join(", ", fields.keySet()));
        }
    }
}
