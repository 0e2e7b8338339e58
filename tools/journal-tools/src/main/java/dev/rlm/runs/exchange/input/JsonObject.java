package dev.rlm.runs.exchange.input;

import dev.rlm.json.Json;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A JSON object that somebody else wrote: each field is asked for by its kind, and may be absent or {@code null}. */
public record JsonObject(ObjectNode tree) {
    /** The object that is all of a line in UTF-8. */
    public static JsonObject parse(byte[] line) throws BadRecordException {
        return parse(line, new RecordSize());
    }

    /** The same, which is a part of a record of that size. */
    public static JsonObject parse(byte[] line, RecordSize size) throws BadRecordException {
        try {
            return new JsonObject(Json.FILE.object(line, 0, line.length, size::add));
        } catch (RecordSize.ManyValuesException e) {
            throw new BadRecordException(String.valueOf(e.getMessage()));
        } catch (UnexpectedEndOfInputException e) {
            throw new BadRecordException("a JSON object, found: the beginning of one");
        } catch (JacksonException e) {
            String reason = Json.reason(e);
            throw new BadRecordException(
                    switch (reason) {
                        case Json.NO_OBJECT -> "a JSON object";
                        case Json.MORE -> "one JSON object, found more behind it";
                        case Json.TOO_LARGE -> "a JSON object, found: a number that is too large for a double";
                        default -> "a JSON object, found: " + reason;
                    });
        }
    }

    /** The object of these values. */
    public static JsonObject of(Map<String, ?> values) {
        return new JsonObject((ObjectNode) Json.tree(values));
    }

    /** The SHA-256 in hexadecimal digits, however its fields are ordered. */
    public String sha256() {
        return sha256(tree);
    }

    /** The SHA-256 of any value. */
    public static String sha256(JsonNode tree) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Json.sorted(tree)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The object that a value is. */
    public static JsonObject of(JsonNode value, String name) throws BadRecordException {
        return new JsonObject(
                value.asObjectOpt().orElseThrow(() -> new BadRecordException(name + " to be a JSON object")));
    }

    /** The value that a text says in JSON; any other value as it is. */
    public static JsonNode said(JsonNode value, String name) throws BadRecordException {
        try {
            return value.isString()
                    ? Json.FILE.object("{\"said\":" + value.stringValue() + "}").path("said")
                    : value;
        } catch (JacksonException e) {
            throw new BadRecordException(name + ", found: " + Json.reason(e));
        }
    }

    /** Tells the fields of an object, each behind its place, that say something and are not known. */
    public static void unknown(JsonNode object, Set<String> known, String place, Consumer<String> unknown) {
        object.forEachEntry((name, value) -> {
            if (!value.isNull() && !known.contains(name)) {
                unknown.accept(place + name);
            }
        });
    }

    /** Returns whether the field is there and not {@code null}. */
    public boolean has(String name) {
        return tree.hasNonNull(name);
    }

    /** A value of any kind, also none. */
    public JsonNode get(String name) {
        return tree.path(name);
    }

    private <T> @Nullable T value(String name, Predicate<JsonNode> kind, Function<JsonNode, T> as, String expected)
            throws BadRecordException {
        JsonNode value = tree.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        } else if (kind.test(value)) {
            return as.apply(value);
        }
        throw new BadRecordException("\"" + name + "\" to be " + expected);
    }

    /** A text; a number counts as one, since ids often are. */
    public @Nullable String text(String name) throws BadRecordException {
        return value(name, value -> value.isString() || value.isNumber(), JsonNode::asString, "a text");
    }

    public String text(String name, String absent) throws BadRecordException {
        String text = text(name);
        return text == null ? absent : text;
    }

    public @Nullable Integer integer(String name) throws BadRecordException {
        Long number = number(name);
        if (number != null && number != number.intValue()) {
            throw new BadRecordException("\"" + name + "\" to be a smaller number");
        }
        return number == null ? null : (Integer) number.intValue();
    }

    public @Nullable Long number(String name) throws BadRecordException {
        return value(name, value -> value.isInt() || value.isLong(), JsonNode::longValue, "a whole number");
    }

    public @Nullable Double decimal(String name) throws BadRecordException {
        return value(name, value -> Json.number(value) != null, Json::number, "a number");
    }

    public @Nullable Boolean flag(String name) throws BadRecordException {
        return value(name, JsonNode::isBoolean, JsonNode::booleanValue, "true or false");
    }

    /** An object; an empty one where it is absent. */
    public JsonObject object(String name) throws BadRecordException {
        return has(name) ? of(tree.path(name), "\"" + name + "\"") : new JsonObject(tree.objectNode());
    }

    /** The objects of a list; none where it is absent. */
    public List<JsonObject> objects(String name) throws BadRecordException {
        List<JsonObject> objects = new ArrayList<>();
        for (JsonNode element : list(name)) {
            objects.add(of(element, "all of \"" + name + "\""));
        }
        return objects;
    }

    /** A list; an empty one where it is absent. */
    public List<JsonNode> list(String name) throws BadRecordException {
        List<JsonNode> list =
                value(name, JsonNode::isArray, value -> value.valueStream().toList(), "a list");
        return list == null ? List.of() : list;
    }
}
