package dev.rlm.recorder;

import dev.rlm.sinks.event.EventType;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a line says: checked and without secrets, and with what always stands for what is absent.
 *
 * @param length of the line as it came, in bytes
 */
record Line(EventType type, Map<String, Object> fields, int length) {
    private static final double TOLERANCE = 1e-9; // sums come out differently where they are added in another order

    static Line read(Map<String, Object> object, UnaryOperator<String> redaction, int length) throws RefusedException {
        EventType type = type(object);
        boolean unknownReward = type == EventType.REWARD_GIVEN && object.get("value") == JsonText.NULL;
        if (unknownReward && object.getOrDefault("absence", JsonText.NULL) == JsonText.NULL) {
            object.put("absence", "null"); // who says so knows no value, which is not to be lost
        }
        return new Line(type, Objects.requireNonNull(Shapes.of(type).read(object, redaction)), length);
    }

    private static EventType type(Map<String, Object> line) throws RefusedException {
        Object type = line.get("type");
        EventType event = type instanceof String label ? EventType.of(label) : null;
        if (event != null && Shapes.types().contains(event)) {
            return event;
        }
        List<String> known = Shapes.types().stream().map(EventType::label).toList();
        String what = type == null
                ? "no type"
                : "unknown type " + Kind.excerpt(JsonText.of(type)) + Spelling.suggestion(type.toString(), known);
        throw new RefusedException(what + ": known are " + String.join(", ", known));
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

    @Nullable
    String text(String name) {
        return (String) fields.get(name);
    }

    @Nullable
    Long whole(String name) {
        return (Long) fields.get(name);
    }

    @Nullable
    Integer count(String name) {
        return (Integer) fields.get(name);
    }

    @Nullable
    Double number(String name) {
        return (Double) fields.get(name);
    }

    /** Those of an object that must be there. */
    @SuppressWarnings("unchecked") // as its kind has read it
    Map<String, Double> numbers(String name) {
        return (Map<String, Double>) Objects.requireNonNull(fields.get(name));
    }

    @Nullable
    Instant time(String name) {
        return (Instant) fields.get(name);
    }

    @Nullable
    Boolean flag(String name) {
        return (Boolean) fields.get(name);
    }

    /** Says what is known, of which the line may say only the same. */
    void putKnown(String name, Object known) throws RefusedException {
        Object given = fields.put(name, known);
        if (given != null && !isSame(given, known)) {
            throw new RefusedException(name + " is " + Kind.excerpt(JsonText.of(known))
                    + " by what has been recorded, not " + Kind.excerpt(JsonText.of(given)));
        }
    }

    private static boolean isSame(Object given, Object known) {
        if (given instanceof Double one && known instanceof Double other) {
            double bound = TOLERANCE * Math.max(1, Math.abs(other));
            return one.equals(other) || Math.abs(one - other) <= bound;
        }
        return given.equals(known);
    }

    static RefusedException refused(String label, List<Integer> open) {
        String numbers = String.join(", ", open.stream().map(String::valueOf).toList());
        return new RefusedException("several steps are open (" + numbers + "): " + label + " must say its step");
    }
}
