package dev.rlm.runs.exchange.input;

import dev.rlm.json.Json;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Fields of a record that no event holds, and that its run keeps among its parameters. */
public final class Rest {
    private static final int MAX_FIELD = 1 << 15; // characters: parameters have an end

    private Rest() {}

    /**
     * Returns the fields that say something.
     *
     * @param left receives the names of those that are too long, behind their place
     */
    public static ObjectNode of(ObjectNode fields, String place, Consumer<String> left) {
        ObjectNode rest = JsonNodeFactory.instance.objectNode();
        fields.forEachEntry((name, value) -> {
            if (isNothing(value)) {
                return;
            } else if (Json.text(value).length() > MAX_FIELD) {
                left.accept(place + name);
            } else {
                rest.set(name, value);
            }
        });
        return rest;
    }

    /** Returns whether a value says nothing. */
    public static boolean isNothing(JsonNode value) {
        return value.isNull() || (value.isContainer() && value.isEmpty());
    }
}
