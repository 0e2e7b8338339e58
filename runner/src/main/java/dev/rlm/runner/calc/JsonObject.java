package dev.rlm.runner.calc;

import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;

/** Reads a JSON object that is all of a text. Kept of it are texts and objects; the rest is passed over. */
final class JsonObject {
    private static final JsonFactory JSON = new JsonFactory();

    private JsonObject() {}

    static Map<String, Object> parse(String text) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new StreamReadException(parser, "the line is no JSON object");
            }
            Map<String, Object> object = object(parser);
            if (parser.nextToken() != null) {
                throw new StreamReadException(parser, "there is more after the JSON object");
            }
            return object;
        }
    }

    private static Map<String, Object> object(JsonParser parser) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            switch (parser.nextToken()) {
                case VALUE_STRING -> object.put(name, parser.getString());
                case START_OBJECT -> object.put(name, object(parser));
                default -> parser.skipChildren();
            }
        }
        return object;
    }
}
