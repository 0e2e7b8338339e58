package dev.rlm.runs.exchange.atif;

import dev.rlm.json.Json;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * References in the place of what stands elsewhere in a document: {@code {"rlm.ref": "/steps/3/message"}}, or
 * for the elements of a list within another {@code {"rlm.elements": "/extra/rlm/events/2/messages"}}.
 */
final class JsonReferences {
    private static final String REFERENCE = "rlm.ref";
    private static final String ELEMENTS = "rlm.elements";
    private static final int LONG = 64; // characters; a shorter one stands for itself
    private static final int MAX_DEPTH = 200;
    private static final int MAX_VALUES = 1 << 25; // with what references stand for

    private final Map<String, String> places = new HashMap<>(); // by the hash of what stands there
    private final Map<String, Earlier> lists = new HashMap<>(); // the last ones by their names

    /** Adds the texts of a part of the document. */
    void addTexts(JsonNode part, String place) {
        if (isLong(part)) {
            places.putIfAbsent(JsonObject.sha256(part), place);
        }
        children(part, place, (child, of) -> {
            addTexts(child, of);
            return child;
        });
    }

    private static boolean isLong(JsonNode text) {
        return text.isString() && text.asString().length() >= LONG;
    }

    /** Returns a part with references to texts, objects and beginnings of lists that stand before it. */
    JsonNode shorten(JsonNode part, String place) {
        return children(part, place, this::shortened);
    }

    private JsonNode shortened(JsonNode part, String place) {
        if (part instanceof ArrayNode list) {
            return shortenedList(list, place);
        } else if (!isLong(part) && !(part.isObject() && Json.text(part).length() >= LONG)) {
            return shorten(part, place);
        }
        String known = places.putIfAbsent(JsonObject.sha256(part), place);
        return known == null
                ? shorten(part, place)
                : JsonNodeFactory.instance.objectNode().put(REFERENCE, known);
    }

    /** A list that begins with all of the last one of its name, as the messages of a call do. */
    private ArrayNode shortenedList(ArrayNode list, String place) {
        Earlier before = lists.put(place.substring(place.lastIndexOf('/') + 1), new Earlier(list, place));
        int from = before == null || !before.begins(list) ? 0 : before.list().size();
        ArrayNode shortened = JsonNodeFactory.instance.arrayNode();
        if (before != null && from > 0) {
            shortened.addObject().put(ELEMENTS, before.place());
        }
        for (int i = from; i < list.size(); i++) {
            shortened.add(shortened(list.get(i), place + "/" + shortened.size()));
        }
        return shortened;
    }

    private static JsonNode children(JsonNode part, String place, Change change) {
        if (part instanceof ObjectNode object) {
            ObjectNode changed = JsonNodeFactory.instance.objectNode();
            object.forEachEntry((name, value) -> changed.set(
                    name, change.of(value, place + "/" + name.replace("~", "~0").replace("/", "~1"))));
            return changed;
        } else if (part instanceof ArrayNode list) {
            ArrayNode changed = JsonNodeFactory.instance.arrayNode();
            list.forEach(value -> changed.add(change.of(value, place + "/" + changed.size())));
            return changed;
        }
        return part;
    }

    /**
     * Returns a part with what its references stand for.
     *
     * @param text changes each text and name, such as a redaction
     */
    static JsonNode resolve(JsonNode part, JsonNode document, UnaryOperator<String> text) throws BadRecordException {
        return new Resolving(document, text).resolve(part, 0);
    }

    private record Earlier(ArrayNode list, String place) {
        boolean begins(ArrayNode other) {
            boolean begins = list.size() > 1 && list.size() <= other.size();
            for (int i = list.size() - 1; begins && i >= 0; i--) {
                begins = list.get(i).equals(other.get(i));
            }
            return begins;
        }
    }

    @FunctionalInterface
    private interface Change {
        JsonNode of(JsonNode part, String place);
    }

    private record Resolved(JsonNode tree, int values) {}

    private static final class Resolving {
        private final JsonNode document;
        private final UnaryOperator<String> text;
        private final Map<String, String> texts = new HashMap<>(); // changed already
        private final Map<String, Resolved> known = new HashMap<>(); // by their places
        private int values;

        Resolving(JsonNode document, UnaryOperator<String> text) {
            this.document = document;
            this.text = text;
        }

        JsonNode resolve(JsonNode part, int depth) throws BadRecordException {
            String place = part.size() == 1 ? part.path(REFERENCE).asString("") : "";
            values += depth > MAX_DEPTH ? MAX_VALUES : 1;
            checkSize();
            if (!place.isEmpty()) {
                return referred(place, depth);
            } else if (part.isString()) {
                return JsonNodeFactory.instance.stringNode(texts.computeIfAbsent(part.asString(), text));
            } else if (part instanceof ArrayNode list) {
                ArrayNode resolved = JsonNodeFactory.instance.arrayNode();
                for (JsonNode each : list) {
                    String all = each.size() == 1 ? each.path(ELEMENTS).asString("") : "";
                    if (all.isEmpty()) {
                        resolved.add(resolve(each, depth + 1));
                    } else {
                        referred(all, depth).forEach(resolved::add);
                    }
                }
                return resolved;
            } else if (part instanceof ObjectNode object) {
                ObjectNode resolved = JsonNodeFactory.instance.objectNode();
                for (Map.Entry<String, JsonNode> field : object.properties()) {
                    String name = texts.computeIfAbsent(field.getKey(), text);
                    resolved.set(name, resolve(field.getValue(), depth + 1));
                }
                return resolved;
            }
            return part;
        }

        /** Returns the value there, once in memory however often it is referred to. */
        private JsonNode referred(String place, int depth) throws BadRecordException {
            Resolved before = known.get(place);
            if (before != null) {
                values += before.values();
                checkSize();
                return before.tree();
            }
            int start = values;
            JsonNode tree = resolve(at(place), depth + 1);
            known.put(place, new Resolved(tree, values - start));
            return tree;
        }

        private void checkSize() throws BadRecordException {
            if (values > MAX_VALUES) {
                throw new BadRecordException("references in extra.rlm.events to what is before them");
            }
        }

        private JsonNode at(String place) throws BadRecordException {
            JsonNode found = valid(place) == null ? null : document.at(place);
            if (found == null || found.isMissingNode()) {
                throw new BadRecordException("something at " + place + ", to which extra.rlm.events refers");
            }
            return found;
        }

        private static @Nullable JsonPointer valid(String place) {
            try {
                return JsonPointer.compile(place);
            } catch (IllegalArgumentException e) {
                return null;
            }
        }
    }
}
