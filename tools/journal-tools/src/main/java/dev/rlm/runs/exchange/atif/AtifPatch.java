package dev.rlm.runs.exchange.atif;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.Content;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Difference between a document that was imported and the one that an export would make of its run: what no event holds. An
 * export applies it, and so writes what was read.
 *
 * <p>An object has the patches of its fields. Under {@value #VALUE} stands a value that takes the place of another; under
 * {@value #ELEMENTS} the patches of a list's elements by their index, and under {@value #SIZE} its size where it differs.
 */
final class AtifPatch {
    private static final String VALUE = "=";
    private static final String ELEMENTS = "[]";
    private static final String SIZE = "#";

    private AtifPatch() {}

    /** Returns what makes the first of the second, and leaves what only the second has; {@code null} where nothing is to do. */
    static @Nullable JsonNode of(JsonNode wanted, JsonNode made) {
        if (wanted instanceof ObjectNode object && made instanceof ObjectNode other && isPlain(object)) {
            return ofObjects(object, other);
        } else if (wanted instanceof ArrayNode list && made instanceof ArrayNode other) {
            return ofLists(list, other);
        }
        boolean numbers = wanted.isNumber() && made.isNumber();
        boolean equal = numbers ? Objects.equals(Json.number(wanted), Json.number(made)) : wanted.equals(made);
        Content text = Content.redacted(made.isString() ? made.asString() : "");
        boolean same = equal || text.isAltered(); // which the patch would undo
        return same ? null : value(wanted);
    }

    private static boolean isPlain(ObjectNode object) {
        return !object.has(VALUE) && !object.has(ELEMENTS);
    }

    private static ObjectNode value(JsonNode wanted) {
        return JsonNodeFactory.instance.objectNode().set(VALUE, wanted);
    }

    private static @Nullable JsonNode ofObjects(ObjectNode wanted, ObjectNode made) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        wanted.forEachEntry((name, value) -> {
            boolean redacted = name.equals("arguments")
                    && Content.redacted(made.path(name).toString()).isRedacted(); // as a whole, and so read otherwise
            JsonNode field = redacted ? null : made.has(name) ? of(value, made.path(name)) : value(value);
            if (field != null) {
                patch.set(name, field);
            }
        });
        return patch.isEmpty() ? null : patch;
    }

    private static @Nullable JsonNode ofLists(ArrayNode wanted, ArrayNode made) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ObjectNode elements = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < wanted.size(); i++) {
            JsonNode element = i < made.size() ? of(wanted.get(i), made.get(i)) : value(wanted.get(i));
            if (element != null) {
                elements.set(Integer.toString(i), element);
            }
        }
        if (wanted.size() != made.size()) {
            patch.put(SIZE, wanted.size());
        }
        if (!elements.isEmpty() || patch.has(SIZE)) {
            patch.set(ELEMENTS, elements);
        }
        return patch.isEmpty() ? null : patch;
    }

    /** Changes the document. What does not fit in it, since its run has changed, is left out. */
    static void apply(ObjectNode made, JsonNode patch) {
        patch.forEachEntry((name, change) -> made.set(name, applied(made.path(name), change)));
    }

    private static JsonNode applied(JsonNode made, JsonNode patch) {
        if (patch.has(VALUE)) {
            return patch.path(VALUE);
        } else if (patch.has(ELEMENTS)) {
            return appliedToList(made, patch);
        } else if (made instanceof ObjectNode object) {
            apply(object, patch);
        }
        return made;
    }

    private static JsonNode appliedToList(JsonNode made, JsonNode patch) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        int size = Math.min( // each element behind those that were made is one of the patch's own
                patch.path(SIZE).asInt(made.size()),
                made.size() + patch.path(ELEMENTS).size());
        for (int i = 0; i < size; i++) {
            JsonNode change = patch.path(ELEMENTS).path(Integer.toString(i));
            if (!change.isMissingNode()) {
                list.add(applied(made.path(i), change));
            } else if (i < made.size()) {
                list.add(made.get(i));
            }
        }
        return list;
    }

    /** Returns a copy of an object without fields that are {@code null}. */
    static ObjectNode withoutNulls(ObjectNode object) {
        ObjectNode copy = object.deepCopy();
        strip(copy);
        return copy;
    }

    private static void strip(JsonNode node) {
        if (node instanceof ObjectNode object) {
            List<String> absent = object.propertyStream()
                    .filter(field -> field.getValue().isNull())
                    .map(field -> field.getKey())
                    .toList();
            object.remove(absent);
        }
        node.forEach(AtifPatch::strip);
    }
}
