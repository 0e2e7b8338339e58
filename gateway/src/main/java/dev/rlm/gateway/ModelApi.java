package dev.rlm.gateway;

import dev.rlm.cli.http.PathSegment;
import dev.rlm.cli.http.RefusedException;
import dev.rlm.json.Json;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A provider's API for chats. Requests and replies of all are read in one form, that of OpenAI's chat completions: so each
 * other translates, and only what a record keeps.
 */
interface ModelApi {
    /** The APIs whose calls are recorded, by the end of their path. */
    Map<String, ModelApi> ALL =
            Map.of("chat/completions", new ChatCompletions(), "responses", new Responses(), "messages", new Messages());

    /** The API that is asked for, however its path is written; {@code null} where the request is none that is recorded. */
    static @Nullable ModelApi of(String method, String rest) throws RefusedException {
        return method.equals("POST") ? ALL.get(PathSegment.decoded(rest).replaceFirst("/$", "")) : null;
    }

    /** Name of the provider in the GenAI semantic conventions. */
    String provider();

    /** Returns a request as one for chat completions. */
    ObjectNode request(ObjectNode request);

    /** Returns a whole reply as one of chat completions. */
    ObjectNode reply(ObjectNode reply);

    /** Returns what puts a streamed reply together. */
    Stream stream();

    /** A streamed reply, put together from its events. */
    interface Stream {
        /** Returned of an event that is kept as it is. */
        int ALL = -1;

        /** Adds an event. Returns about how many bytes are kept of it, or {@link #ALL}. */
        int add(ObjectNode event);

        /** Returns whether an event, or the text in its place, is the last of a stream. */
        boolean isLast(String data);

        /** Returns whether what has come tells how the reply ended. */
        boolean tellsEnd();

        /** Returns what has come so far, in the API's own form. */
        ObjectNode reply();
    }

    /** About how many bytes a small value takes. */
    static int size(JsonNode value) {
        return 2 * Json.text(value).length();
    }

    /** An empty object. */
    static ObjectNode object() {
        return (ObjectNode) Json.tree(Map.of());
    }

    /** Copies members under other names, where they are there. */
    static void copy(JsonNode from, ObjectNode to, Map<String, String> names) {
        names.forEach((name, other) -> {
            JsonNode value = from.path(name);
            if (!value.isMissingNode() && !value.isNull()) {
                to.set(other, value);
            }
        });
    }

    /** A message of a role. */
    static ObjectNode message(String role) {
        return object().put("role", role);
    }

    /** The arguments of a call, which are a text of JSON, or for some the JSON itself; of a call that takes text that text. */
    static String arguments(JsonNode function) {
        JsonNode arguments = function.path(function.has("input") ? "input" : "arguments");
        return arguments.isMissingNode() || arguments.isNull()
                ? ""
                : arguments.isString() ? arguments.stringValue() : Json.text(arguments);
    }

    /** A call of a tool as a message of the assistant has it. */
    static ObjectNode toolCall(String id, String tool, String arguments) {
        ObjectNode call = object().put("id", id).put("type", "function");
        call.putObject("function").put("name", tool).put("arguments", arguments);
        return call;
    }

    /** The text of a value: itself, or that of its parts. */
    static String text(JsonNode content) {
        StringBuilder text = new StringBuilder(content.stringValue(""));
        for (JsonNode part : Json.elements(content)) {
            text.append(text.isEmpty() ? "" : "\n")
                    .append(
                            part.isString()
                                    ? part.stringValue()
                                    : part.path("text").stringValue(""));
        }
        return text.toString();
    }

    /** A reply of one choice. */
    static ObjectNode reply(
            JsonNode head, ObjectNode message, @Nullable String reason, Map<String, Supplier<JsonNode>> usage) {
        ObjectNode reply = object();
        copy(head, reply, Map.of("id", "id", "model", "model", "error", "error"));
        ObjectNode choice = reply.putArray("choices").addObject();
        choice.set("message", message);
        if (reason != null) {
            choice.put("finish_reason", reason);
        }
        ObjectNode counts = reply.putObject("usage");
        usage.forEach((name, value) -> counts.set(name, value.get()));
        return reply;
    }

    /** Parts of a text or a list of parts, as a list. */
    static List<JsonNode> parts(JsonNode content) {
        return content.isString()
                ? List.of(object().put("type", "text").put("text", content.stringValue()))
                : List.copyOf(Json.elements(content));
    }
}
