package dev.rlm.json.chat;

import dev.rlm.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A provider's API for chats. Requests and replies of all are read in one form, that of OpenAI's chat completions: so each
 * other translates, and only what a record keeps. Safe for use by several threads.
 */
public interface ChatApi {
    /** OpenAI's chat completions, which vLLM, SGLang and many others answer too. */
    ChatApi COMPLETIONS = new ChatCompletions();

    /** OpenAI's Responses. */
    ChatApi RESPONSES = new Responses();

    /** Anthropic's Messages. */
    ChatApi MESSAGES = new AnthropicMessages();

    /** All of them, by the end of their path. */
    Map<String, ChatApi> ALL = Map.of("chat/completions", COMPLETIONS, "responses", RESPONSES, "messages", MESSAGES);

    /** Name of the provider in the GenAI semantic conventions. */
    String provider();

    /** Returns a request as one for chat completions. */
    ObjectNode request(ObjectNode request);

    /** Returns a whole reply as one of chat completions. */
    ObjectNode reply(ObjectNode reply);

    /** Returns what puts a streamed reply together. */
    ReplyStream stream();

    /** A streamed reply, put together from its events. Not for several threads. */
    interface ReplyStream {
        /** Returned of an event that is kept as it is. */
        int ALL = -1;

        /** Adds an event. Returns about how many bytes are kept of it, or {@link #ALL}. */
        int add(ObjectNode event);

        /** Returns whether an event, or the text in its place, is the last of a stream. */
        boolean isLast(String data);

        /** Returns whether the model has said anything. */
        boolean hasBegun();

        /** Returns whether what has come tells how the reply ended. */
        boolean tellsEnd();

        /** Returns what has come so far, in the API's own form. */
        ObjectNode reply();
    }

    /** An empty object. */
    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** About how many bytes a small value takes. */
    static int size(JsonNode value) {
        return 2 * Json.text(value).length();
    }

    /** Copies a member under that name, where it is there. */
    static void copy(JsonNode from, ObjectNode to, String name) {
        JsonNode value = from.path(name);
        if (!value.isMissingNode() && !value.isNull()) {
            to.set(name, value);
        }
    }

    /** A message of a role. */
    static ObjectNode message(String role) {
        return object().put("role", role);
    }

    /** A reply of one choice. */
    static ObjectNode reply(JsonNode head, ObjectNode message, @Nullable String reason, Map<String, JsonNode> usage) {
        ObjectNode reply = object();
        copy(head, reply, "id");
        copy(head, reply, "model");
        copy(head, reply, "error");
        ObjectNode choice = reply.putArray("choices").addObject();
        choice.set("message", message);
        if (reason != null) {
            choice.put("finish_reason", reason);
        }
        reply.putObject("usage").setAll(new LinkedHashMap<>(usage));
        return reply;
    }
}
