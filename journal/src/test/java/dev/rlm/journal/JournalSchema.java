package dev.rlm.journal;

import static java.util.Objects.requireNonNull;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.harrel.jsonschema.providers.GsonNode;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** One of the published schemas: as it is for others, or strict, so that fields which it does not know are errors. */
final class JournalSchema {
    private final JsonObject schema;
    private final Validator validator;
    private final URI uri;

    private JournalSchema(JsonObject schema) {
        this.schema = schema;
        validator = new ValidatorFactory()
                .withJsonNodeFactory(new GsonNode.Factory())
                .createValidator();
        uri = validator.registerSchema(schema.toString());
    }

    static JournalSchema published(String name) {
        return new JournalSchema(read(name));
    }

    static JournalSchema strict(String name) {
        JsonObject schema = read(name);
        for (Map.Entry<String, JsonElement> definition :
                schema.getAsJsonObject("$defs").entrySet()) {
            if (definition.getValue().getAsJsonObject().has("properties")) {
                definition.getValue().getAsJsonObject().addProperty("additionalProperties", false);
            }
        }
        return new JournalSchema(schema);
    }

    private static JsonObject read(String name) {
        try (InputStream in = requireNonNull(JsonlSink.class.getResourceAsStream(name))) {
            return JsonParser.parseString(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .getAsJsonObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What it describes by name: events, and parts of them. */
    Map<String, JsonElement> definitions() {
        return schema.getAsJsonObject("$defs").asMap();
    }

    /** What is wrong with the line. */
    List<String> errors(JsonElement line) {
        return validator.validate(uri, line).getErrors().stream()
                .map(error -> error.getInstanceLocation() + ": " + error.getError())
                .toList();
    }

    List<String> errors(String line) {
        return errors(JsonParser.parseString(line));
    }
}
