package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.schema.EventField;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Conversations, and documents for them, as JSON text, in the form of {@code gen_ai.input.messages} and {@code gen_ai.output.messages}, and in
 * MLflow's. What would be too large has its texts cut, so that it stays valid JSON; it is empty where even that does not
 * help.
 */
final class Messages {
    private static final JsonFactory JSON = new JsonFactory();

    private Messages() {}

    /** Returns the messages that a model was given. */
    static Optional<String> input(List<Message> messages, int maxBytes) {
        return array(maxBytes, limit -> out -> messages.forEach(message -> message(out, message, null, limit)));
    }

    /** Returns a model's reply, with the reason why it stopped. */
    static Optional<String> output(Message reply, @Nullable String finishReason, int maxBytes) {
        return array(maxBytes, limit -> out -> message(out, reply, finishReason(finishReason), limit));
    }

    /** Returns the system instructions that a model was given apart from the messages. */
    static Optional<String> instructions(String text, int maxBytes) {
        return array(maxBytes, limit -> out -> textPart(out, "text", text, limit));
    }

    /**
     * Tools that a model was offered, as the conventions describe them: a function's own name, description and parameters stand in the
     * tool itself. What is no JSON is sent as it is; empty where it takes more bytes.
     */
    static Optional<String> tools(String json, int maxBytes) {
        String described;
        try (JsonParser in = JSON.createParser(ObjectReadContext.empty(), json)) {
            described = json(out -> tools(in, out), maxBytes);
        } catch (JacksonException e) {
            described = json;
        }
        return Optional.ofNullable(described)
                .filter(text -> TextLimits.cutToBytes(text, maxBytes).length() == text.length());
    }

    private static void tools(JsonParser in, JsonGenerator out) {
        if (in.nextToken() != JsonToken.START_ARRAY) {
            out.copyCurrentStructure(in);
            return;
        }
        out.writeStartArray();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            if (in.currentToken() == JsonToken.START_OBJECT) {
                out.writeStartObject();
                Map<String, String> written = new HashMap<>();
                fieldsOfTool(in, out, written);
                String type = written.get("type");
                if (type == null) {
                    out.writeStringProperty("type", "function");
                }
                if (!written.containsKey("name")) { // a tool of the provider's own, which its type names
                    out.writeStringProperty("name", type == null ? "" : type);
                }
                out.writeEndObject();
            } else {
                out.copyCurrentStructure(in);
            }
        }
        out.writeEndArray();
    }

    /** Chat-completion APIs put a function's fields in an object of that name; Anthropic's has a name of its own for its parameters. */
    private static void fieldsOfTool(JsonParser in, JsonGenerator out, Map<String, String> written) {
        while (in.nextToken() == JsonToken.PROPERTY_NAME) {
            String given = in.currentName();
            String name = given.equals("input_schema") ? "parameters" : given;
            JsonToken value = in.nextToken();
            if (name.equals("function") && value == JsonToken.START_OBJECT) {
                fieldsOfTool(in, out, written);
            } else if (written.putIfAbsent(name, value == JsonToken.VALUE_STRING ? in.getString() : "") == null) {
                out.writeName(name);
                out.copyCurrentStructure(in);
            } else {
                in.skipChildren();
            }
        }
    }

    /** In the words of the conventions, where they have one. */
    private static String finishReason(@Nullable String providers) {
        return providers == null ? "" : providers.equals("tool_calls") ? "tool_call" : providers;
    }

    /** One text of a person or an agent. */
    static Optional<String> text(String role, String text, @Nullable String finishReason, int maxBytes) {
        return array(maxBytes, limit -> out -> {
            startMessage(out, role);
            textPart(out, "text", text, limit);
            endMessage(out, finishReason);
        });
    }

    /** One text as MLflow shows it in its list of traces. */
    static Optional<String> mlflow(String role, String text, int maxBytes) {
        return fit(maxBytes, limit -> out -> {
            out.writeStartObject();
            out.writeArrayPropertyStart("messages");
            object(out, "role", role, "content", TextLimits.cutToBytes(text, limit));
            out.writeEndArray();
            out.writeEndObject();
        });
    }

    /** Texts by name. */
    static Optional<String> fields(Map<String, String> texts, int maxBytes) {
        return fit(maxBytes, limit -> out -> {
            out.writeStartObject();
            texts.forEach((name, text) -> out.writeStringProperty(name, TextLimits.cutToBytes(text, limit)));
            out.writeEndObject();
        });
    }

    /** Documents that were retrieved; empty where they take more bytes. */
    static Optional<String> documents(List<RetrievedDocument> documents, int maxBytes) {
        String json = json(out -> documents(out, documents), maxBytes);
        return Optional.ofNullable(json)
                .filter(text -> TextLimits.cutToBytes(text, maxBytes).length() == text.length());
    }

    private static void documents(JsonGenerator out, List<RetrievedDocument> documents) {
        out.writeStartArray();
        for (RetrievedDocument document : documents) {
            out.writeStartObject();
            out.writeStringProperty("id", Content.wellFormed(document.id()));
            if (document.score() != null && Double.isFinite(document.score())) {
                out.writeNumberProperty("score", document.score().doubleValue());
            }
            if (document.sha256() != null) {
                out.writeStringProperty("sha256", Content.wellFormed(document.sha256()));
            }
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private static void message(JsonGenerator out, Message message, @Nullable String finishReason, int limit) {
        startMessage(out, message.role());
        if (message.parts().isEmpty()) {
            simple(out, message, limit);
        } else {
            message.parts().forEach(part -> part(out, part, limit));
        }
        endMessage(out, finishReason);
    }

    private static void startMessage(JsonGenerator out, String role) {
        out.writeStartObject();
        out.writeStringProperty("role", role);
        out.writeArrayPropertyStart("parts");
    }

    private static void endMessage(JsonGenerator out, @Nullable String finishReason) {
        out.writeEndArray();
        if (finishReason != null) {
            out.writeStringProperty("finish_reason", finishReason);
        }
        out.writeEndObject();
    }

    /** A text, and calls behind it. */
    private static void simple(JsonGenerator out, Message message, int limit) {
        if (message.toolCallId() != null) {
            toolResult(out, message.toolCallId(), message.content(), limit);
        } else if (!message.content().isEmpty()) {
            textPart(out, "text", message.content().text(), limit);
        }
        message.toolCalls().forEach(call -> toolCall(out, call.id(), call.tool(), call.arguments(), limit));
    }

    private static void part(JsonGenerator out, MessagePart part, int limit) {
        String id = part.id() == null ? "" : part.id();
        switch (part.type()) {
            case TEXT -> textPart(out, "text", part.text().text(), limit);
            case REASONING -> textPart(out, "reasoning", part.text().text(), limit);
            case TOOL_CALL -> toolCall(out, id, part.tool() == null ? "" : part.tool(), part.text(), limit);
            case TOOL_RESULT -> toolResult(out, id, part.text(), limit);
            case IMAGE, AUDIO, FILE -> media(out, part, limit);
        }
    }

    private static void toolResult(JsonGenerator out, String id, Content text, int limit) {
        String response = TextLimits.cutToBytes(text.text(), limit);
        object(out, "type", "tool_call_response", "id", id, "response", response);
    }

    private static void toolCall(JsonGenerator out, String id, String tool, Content arguments, int limit) {
        String cut = TextLimits.cutToBytes(arguments.text(), limit);
        object(out, "type", "tool_call", "id", id, "name", tool, "arguments", cut);
    }

    private static void media(JsonGenerator out, MessagePart part, int limit) {
        String type = part.mediaType() == null ? null : TextLimits.cutToBytes(part.mediaType(), limit);
        String uri = TextLimits.cutToBytes(part.uri() == null ? "" : part.uri(), limit);
        String hash = part.sha256() == null ? null : TextLimits.cutToBytes(part.sha256(), limit);
        String kind = EventField.word(part.type());
        object(out, "type", "uri", "modality", kind, "mime_type", type, "uri", uri, "sha256", hash);
    }

    private static void textPart(JsonGenerator out, String type, String text, int limit) {
        object(out, "type", type, "content", TextLimits.cutToBytes(text, limit));
    }

    /** Writes an object of names and texts, in turn; without those names that have none. */
    private static void object(JsonGenerator out, @Nullable String... fields) {
        out.writeStartObject();
        for (int i = 0; i < fields.length; i += 2) {
            if (fields[i + 1] != null) {
                out.writeStringProperty(fields[i], fields[i + 1]);
            }
        }
        out.writeEndObject();
    }

    private static Optional<String> array(int maxBytes, IntFunction<Body> elements) {
        return fit(maxBytes, limit -> out -> {
            out.writeStartArray();
            elements.apply(limit).write(out);
            out.writeEndArray();
        });
    }

    /** The longest form that takes no more bytes; each text in it is cut to as many as the function is given. */
    private static Optional<String> fit(int maxBytes, IntFunction<Body> form) {
        for (int limit = maxBytes; limit > 0; limit -= Math.max(1, limit / 4)) {
            String json = json(form.apply(limit), maxBytes);
            if (json != null && TextLimits.cutToBytes(json, maxBytes).length() == json.length()) {
                return Optional.of(json);
            }
        }
        return Optional.empty();
    }

    private static @Nullable String json(Body body, int maxCharacters) {
        BoundedWriter text = new BoundedWriter(maxCharacters);
        try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            body.write(out);
        } catch (BoundedWriter.Full e) {
            return null;
        }
        return text.toString();
    }

    /** Writes one value. */
    @FunctionalInterface
    private interface Body {
        void write(JsonGenerator out);
    }

    /** Refuses what is too long when it is, because whole conversations may be much longer. */
    private static final class BoundedWriter extends StringWriter {
        private final int max;

        BoundedWriter(int max) {
            this.max = max;
        }

        @Override
        public void write(char[] text, int from, int length) {
            if (getBuffer().length() + length > max) {
                throw new Full();
            }
            super.write(text, from, length);
        }

        private static final class Full extends RuntimeException {
            private static final long serialVersionUID = 1;

            Full() {
                super("full", null, false, false);
            }
        }
    }
}
