package dev.rlm.recorder;

import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.schema.EventField;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A field that an object may have.
 *
 * @param required whether it must be there
 * @param standard what stands for it where it is absent; {@code null} for nothing
 */
record Field(
        String name, Kind kind, boolean required, @Nullable Object standard) {
    /** Fields of which more is known than the kind. */
    private static final Map<String, Kind> REFINED = Map.of(
            "sha256", Kind.SHA256, "step_field", Kind.oneOf(MetricsReported.STEP_FIELDS), "values", Kind.NUMBERS_IN);

    static Field optional(String name, Kind kind) {
        return new Field(name, kind, false, null);
    }

    /** The field as the events declare it. */
    static Field of(EventField declared) {
        Kind refined = declared.name().equals("reply") ? Kind.object(Shapes.REPLY) : REFINED.get(declared.name());
        Object standard = declared.standard() == null ? empty(declared) : declared.standard();
        boolean required = declared.isRequired();
        return new Field(
                declared.name(), refined == null ? kind(declared) : refined, required, required ? null : standard);
    }

    private static Kind kind(EventField declared) {
        return switch (declared.kind()) {
            case ID -> Kind.ID;
            case LABEL -> Kind.LABEL;
            case TEXT -> Kind.TEXT;
            case WHOLE -> Kind.WHOLE;
            case COUNT -> Kind.COUNT;
            case NUMBER -> Kind.NUMBER;
            case FLAG -> Kind.FLAG;
            case TIME -> Kind.TIME;
            case CHOICE -> Kind.oneOf(declared.choices());
            case WHOLES -> Kind.listOf(Kind.COUNT);
            case DECIMALS -> Kind.listOf(Kind.NUMBER);
            case VALUES -> Kind.VALUES;
            case TEXTS -> Kind.TEXTS;
            case NUMBERS, COUNTS -> Kind.NUMBERS;
            case OBJECT, OBJECTS_BY_NAME ->
                Kind.object(Shapes.of(declared.object().type()));
            case OBJECTS -> Kind.listOf(Kind.object(Shapes.of(declared.object().type())));
            case FILE -> Kind.BASE64;
        };
    }

    /** What stands for a field that is there always and may be empty; {@code null} for others. */
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
}
