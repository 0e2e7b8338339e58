package dev.rlm.collector.otlp;

import dev.rlm.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Request in JSON. A resource may stand behind its records: so the bytes are gone through twice. */
final class JsonRequest implements ExportRequest {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Pattern UNDERSCORE = Pattern.compile("_([a-z])");

    private final Signal signal;
    private final byte[] body;
    private final Map<Integer, ObjectNode> resources = new HashMap<>();
    private boolean snakes; // whether names are written with underscores

    JsonRequest(Signal signal, byte[] body) {
        this.signal = signal;
        this.body = body;
    }

    @Override
    public void read(IntConsumer memory, Reader reader) throws MalformedException, IOException {
        try {
            forEachResource((in, index) -> {
                if (name(in).equals("resource")) {
                    resources.put(index, object(in, memory));
                } else {
                    in.skipChildren();
                }
            });
            forEachResource((in, index) -> {
                if (name(in).equals(signal.ofScope())) {
                    scopes(in, resources.getOrDefault(index, NONE), memory, reader);
                } else {
                    in.skipChildren();
                }
            });
        } catch (JacksonException e) {
            throw new MalformedException("the body is no valid JSON");
        }
    }

    private void forEachResource(FieldReader fields) throws MalformedException, IOException {
        try (JsonParser in = JSON.createParser(ObjectReadContext.empty(), body)) {
            in.nextToken();
            eachField(in, () -> {
                int[] index = {0};
                if (!name(in).equals(signal.ofResource())) {
                    in.skipChildren();
                    return;
                }
                eachElement(in, () -> {
                    eachField(in, () -> fields.read(in, index[0]));
                    index[0]++;
                });
            });
            if (in.nextToken() != null) {
                throw new MalformedException("there is more behind the JSON object");
            }
        }
    }

    private void scopes(JsonParser in, ObjectNode resource, IntConsumer memory, Reader reader)
            throws MalformedException, IOException {
        eachElement(
                in,
                () -> eachField(in, () -> {
                    if (name(in).equals(signal.records())) {
                        eachElement(in, () -> reader.record(resource, object(in, memory)));
                    } else {
                        in.skipChildren();
                    }
                }));
    }

    private static void eachField(JsonParser in, Step step) throws MalformedException, IOException {
        if (in.currentToken() != JsonToken.START_OBJECT) {
            throw new MalformedException("there is something else in the place of a JSON object");
        }
        while (in.nextToken() == JsonToken.PROPERTY_NAME) {
            in.nextToken();
            step.take();
        }
    }

    private static void eachElement(JsonParser in, Step step) throws MalformedException, IOException {
        if (in.currentToken() == JsonToken.VALUE_NULL) {
            return;
        } else if (in.currentToken() != JsonToken.START_ARRAY) {
            throw new MalformedException("there is something else in the place of a JSON array");
        }
        while (in.nextToken() != JsonToken.END_ARRAY) {
            step.take();
        }
    }

    /** The object that begins here, of which the parser is then at the end. */
    private ObjectNode object(JsonParser in, IntConsumer memory) throws MalformedException {
        if (in.currentToken() != JsonToken.START_OBJECT) {
            throw new MalformedException("there is something else in the place of a JSON object");
        }
        int from = (int) in.currentTokenLocation().getByteOffset();
        in.skipChildren();
        int to = (int) in.currentLocation().getByteOffset();
        memory.accept(2 * (to - from));
        ObjectNode object = Json.REPLY.object(new String(body, from, to - from, StandardCharsets.UTF_8), memory);
        return snakes ? (ObjectNode) camels(object) : object;
    }

    /** The name of a field, which may be written as in the definition of the protocol ({@code resource_spans}). */
    private String name(JsonParser in) {
        String name = in.currentName();
        if (name.indexOf('_') < 0) {
            return name;
        }
        snakes = true;
        return camel(name);
    }

    private static String camel(String name) {
        return UNDERSCORE.matcher(name).replaceAll(each -> each.group(1).toUpperCase(Locale.ROOT));
    }

    /** Values of a tree are not touched, nor are the keys of attributes, which are values. */
    private static JsonNode camels(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            ObjectNode renamed = JsonNodeFactory.instance.objectNode();
            object.properties().forEach(each -> renamed.set(camel(each.getKey()), camels(each.getValue())));
            return renamed;
        } else if (tree instanceof ArrayNode list) {
            ArrayNode all = JsonNodeFactory.instance.arrayNode();
            list.forEach(each -> all.add(camels(each)));
            return all;
        }
        return tree;
    }

    /** Takes the field that the parser is at. */
    private interface FieldReader {
        void read(JsonParser in, int index) throws MalformedException, IOException;
    }

    /** Takes the value that the parser is at, and leaves it at its end. */
    private interface Step {
        void take() throws MalformedException, IOException;
    }
}
