package dev.rlm.collector.otlp;

import dev.rlm.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.node.ObjectNode;

/** Request in JSON. A resource may stand behind its records: so the bytes are gone through twice. */
final class JsonRequest implements ExportRequest {
    private static final JsonFactory JSON = new JsonFactory();

    private final Signal signal;
    private final byte[] body;
    private final Map<Integer, ObjectNode> resources = new HashMap<>();

    JsonRequest(Signal signal, byte[] body) {
        this.signal = signal;
        this.body = body;
    }

    @Override
    public void read(IntConsumer memory, Reader reader) throws MalformedException, IOException {
        try {
            forEachResource((in, index) -> {
                if (in.currentName().equals("resource")) {
                    resources.put(index, object(in, memory));
                } else {
                    in.skipChildren();
                }
            });
            forEachResource((in, index) -> {
                if (in.currentName().equals(signal.ofScope())) {
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
                if (!in.currentName().equals(signal.ofResource())) {
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
                    if (in.currentName().equals(signal.records())) {
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
        return Json.REPLY.object(new String(body, from, to - from, StandardCharsets.UTF_8), memory);
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
