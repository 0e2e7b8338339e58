package dev.rlm.recorder;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The fields that a kind of object has. A name that is none of them is an error: a misspelt reward is a lost one. */
final class Shape {
    private final String name;
    private final Map<String, Field> fields = new LinkedHashMap<>();

    private Shape(String name, List<Field> fields) {
        this.name = name;
        fields.forEach(field -> this.fields.put(field.name(), field));
    }

    static Shape of(String name, Field... fields) {
        return new Shape(name, List.of(fields));
    }

    /** One that has more fields. */
    Shape with(String newName, Field... more) {
        List<Field> all = new ArrayList<>(fields.values());
        all.addAll(List.of(more));
        return new Shape(newName, all);
    }

    /** The fields by their names. */
    Map<String, Field> fields() {
        return Collections.unmodifiableMap(fields);
    }

    /** The object's fields as events are read from them, those that are {@code null} left out; {@code null} for no object. */
    @Nullable
    Map<String, Object> read(Object value, UnaryOperator<String> redaction) throws RefusedException {
        if (!(value instanceof Map<?, ?> object)) {
            return null;
        }
        checkNames(object, redaction);
        Map<String, Object> read = new LinkedHashMap<>();
        for (Field field : fields.values()) {
            Object given = object.get(field.name());
            if (given != null && given != JsonText.NULL) {
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

    private void checkNames(Map<?, ?> object, UnaryOperator<String> redaction) throws RefusedException {
        List<String> unknown = object.keySet().stream()
                .map(Object::toString)
                .filter(key -> !fields.containsKey(key))
                .toList();
        if (!unknown.isEmpty()) {
            String shown = unknown.stream()
                    .map(key ->
                            "'" + Kind.excerpt(redaction.apply(key)) + "'" + Spelling.suggestion(key, fields.keySet()))
                    .limit(5)
                    .collect(Collectors.joining(", "));
            throw new RefusedException(
                    name + " has no field " + shown + ": it may have " + String.join(", ", fields.keySet()));
        }
    }
}
