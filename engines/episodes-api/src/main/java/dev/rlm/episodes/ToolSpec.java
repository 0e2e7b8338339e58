package dev.rlm.episodes;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Description, for a model, of an action or a tool that it may ask for.
 *
 * @param inputSchema the JSON Schema of its arguments, an object's
 * @param textParameter the argument whose text is the {@linkplain Action#code() code} of the action; {@code null} where all
 *     arguments, as JSON, are
 */
public record ToolSpec(
        String name,
        String description,
        String inputSchema,
        @Nullable String textParameter) {
    public ToolSpec {
        Objects.requireNonNull(description, "description");
        if (name.isBlank() || inputSchema.isBlank()) {
            throw new IllegalArgumentException("a tool needs a name and a schema");
        }
    }

    /**
     * An action that takes one text.
     *
     * @param parameter the text's name: letters, digits and underscores
     */
    public static ToolSpec ofText(String name, String description, String parameter) {
        if (!parameter.matches("\\w+")) {
            throw new IllegalArgumentException("'" + parameter + "' is no name of a parameter");
        }
        String schema = "{\"type\":\"object\",\"properties\":{\"%1$s\":{\"type\":\"string\"}},\"required\":[\"%1$s\"]}"
                .formatted(parameter);
        return new ToolSpec(name, description, schema, parameter);
    }
}
