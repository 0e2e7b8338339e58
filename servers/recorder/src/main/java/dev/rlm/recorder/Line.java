package dev.rlm.recorder;

import dev.rlm.cli.terminal.Spelling;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.EventType;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Fields of a line: checked and without secrets, and with what always stands for what is absent.
 *
 * @param length of the line as it came, in bytes
 */
record Line(EventType type, Map<String, Object> fields, int length) {
    private static final double TOLERANCE = 1e-9; // sums come out differently where they are added in another order

    /** Reads the object that is all of a line, within its share of the memory. */
    static ObjectNode object(byte[] line, LineMemory.Share share) {
        String text = decoded(line);
        try {
            return Json.RECORD.object(text, share::take);
        } catch (JacksonException e) {
            throw new LineRefusedException(reason(e, text));
        }
    }

    private static String decoded(byte[] line) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new LineRefusedException("not valid UTF-8");
        }
    }

    private static String reason(JacksonException e, String text) {
        String reason = Json.reason(e);
        return switch (reason) {
            case Json.NO_OBJECT -> "not a JSON object: a line is one, such as {\"type\":\"heartbeat\"}";
            case Json.MORE -> "there is more after the JSON object: a line holds one event";
            case Json.TOO_LARGE ->
                reason.replace(
                        "number",
                        "number " + numberBefore(Math.toIntExact(e.getLocation().getCharOffset()), text));
            default -> "not valid JSON: " + reason;
        };
    }

    private static String numberBefore(int end, String text) {
        int start = end;
        while ("+-.0123456789eE".indexOf(text.charAt(start - 1)) >= 0) {
            start--;
        }
        return ValueReader.excerpt(text.substring(start, end));
    }

    static Line read(ObjectNode object, ValueReader reader, int length) {
        EventType type = type(object, reader);
        JsonNode value = object.path("value");
        JsonNode absence = object.path("absence");
        if (type == EventType.REWARD_GIVEN && value.isNull() && (absence.isNull() || absence.isMissingNode())) {
            object.put("absence", "null"); // who says so knows no value, which is not to be lost
        }
        return new Line(type, Objects.requireNonNull(Shapes.of(type).read(object, reader)), length);
    }

    private static EventType type(ObjectNode line, ValueReader reader) {
        JsonNode type = line.get("type");
        EventType event = type == null ? null : EventType.of(type.stringValue(""));
        if (event != null && Shapes.types().contains(event)) {
            return event;
        }
        List<String> known = Shapes.types().stream().map(EventType::label).toList();
        String what = type == null
                ? "no type"
                : "unknown type " + reader.shown(type)
                        + Spelling.suggestion(type.stringValueOpt().orElseGet(type::toString), known);
        throw new LineRefusedException(what + ": known are " + String.join(", ", known));
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    /** Says what the line left out. */
    void put(String name, Object value) {
        fields.put(name, value);
    }

    void putIfAbsent(String name, Object value) {
        fields.putIfAbsent(name, value);
    }

    /** The value of a field, of the class that its kind makes; {@code null} where it is absent. */
    <T> @Nullable T get(String name, Class<T> type) {
        return type.cast(fields.get(name));
    }

    /** Returns the numbers of an object that must be there. */
    @SuppressWarnings("unchecked") // as its kind has read it
    Map<String, Double> numbers(String name) {
        return (Map<String, Double>) Objects.requireNonNull(fields.get(name));
    }

    /** Says what is known, of which the line may say only the same. */
    void putKnown(String name, Object known) {
        Object given = fields.put(name, known);
        if (given != null && !isSame(given, known)) {
            throw new LineRefusedException(name + " is " + ValueReader.excerpt(Json.text(known))
                    + " by what has been recorded, not " + ValueReader.excerpt(Json.text(given)));
        }
    }

    private static boolean isSame(Object given, Object known) {
        if (given instanceof Double one && known instanceof Double other) {
            double bound = TOLERANCE * Math.max(1, Math.abs(other));
            return one.equals(other) || Math.abs(one - other) <= bound;
        }
        return given.equals(known);
    }
}
