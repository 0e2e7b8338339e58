package dev.rlm.json.chat;

import dev.rlm.json.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** OpenAI's chat completions, which vLLM, SGLang and many others answer too. */
final class ChatCompletions implements ChatApi {
    @Override
    public String provider() {
        return "openai";
    }

    @Override
    public ObjectNode request(ObjectNode request) {
        return request;
    }

    @Override
    public ObjectNode reply(ObjectNode reply) {
        for (JsonNode choice : Json.elements(reply.path("choices"))) {
            if (choice.path("message") instanceof ObjectNode message
                    && message.path("content").stringValue("").isEmpty()
                    && !message.path("content").isArray()
                    && message.path("refusal").isString()) {
                message.set("content", message.path("refusal"));
            }
        }
        return reply;
    }

    @Override
    public ReplyStream stream() {
        return new Chunks();
    }

    /** Chunks of a reply, of one choice or several. */
    private static final class Chunks implements ReplyStream {
        private static final Set<String> HEAD = Set.of(
                "id",
                "model",
                "usage",
                "error",
                "object",
                "message",
                "prompt_token_ids",
                "weight_version",
                "metadata",
                "meta_info",
                "sglext");

        private final ObjectNode head = ChatApi.object();
        private final Map<Integer, ChoiceParts> choices = new TreeMap<>();

        @Override
        public boolean isLast(String data) {
            return data.equals("[DONE]");
        }

        @Override
        public int add(ObjectNode event) {
            int kept = 0;
            for (String name : HEAD) {
                ChatApi.copy(event, head, name);
            }
            ChatApi.copy(event.path("x_groq"), head, "usage");
            for (JsonNode each : Json.elements(event.path("choices"))) {
                kept += choices.computeIfAbsent(each.path("index").intValue(0), index -> new ChoiceParts())
                        .add(each);
            }
            return kept;
        }

        @Override
        public boolean hasBegun() {
            return choices.values().stream().anyMatch(ChoiceParts::hasBegun);
        }

        @Override
        public boolean tellsEnd() {
            return !choices.isEmpty() && choices.values().stream().allMatch(each -> each.choice.has("finish_reason"));
        }

        @Override
        public ObjectNode reply() {
            ArrayNode all = head.putArray("choices");
            choices.values().forEach(each -> all.add(each.whole()));
            return head;
        }
    }

    /** A choice that comes in pieces: texts and arguments are joined, lists of tokens too, and of all else the last one counts. */
    private static final class ChoiceParts {
        private static final int VALUE_SIZE = 32; // bytes, about
        private static final int TOKEN_SIZE = 320; // with its probability

        private final ObjectNode choice = ChatApi.object();
        private final ObjectNode message = choice.putObject("message").put("role", "assistant");
        private final Map<String, StringBuilder> texts = new TreeMap<>();
        private final List<ToolCallParts> calls = new ArrayList<>(); // in the order in which they began
        private final Map<Integer, ToolCallParts> byIndex = new HashMap<>(); // the last that began at each

        private int add(JsonNode part) {
            int kept = TOKEN_SIZE;
            ChatApi.copy(part, choice, "finish_reason");
            ChatApi.copy(part, choice, "prompt_token_ids");
            kept += part.path("prompt_token_ids").size() * VALUE_SIZE;
            for (JsonNode token : Json.elements(part.path("token_ids"))) {
                choice.withArrayProperty("token_ids").add(token);
                kept += VALUE_SIZE;
            }
            for (JsonNode token : Json.elements(part.path("logprobs").path("content"))) {
                choice.withObjectProperty("logprobs")
                        .withArrayProperty("content")
                        .addObject()
                        .setAll(Map.of("token", token.path("token"), "logprob", token.path("logprob")));
                kept += TOKEN_SIZE;
            }
            JsonNode delta = part.path("delta");
            content(delta.path("content"));
            append("refusal", delta.path("refusal"));
            for (String name : MessageJson.THOUGHTS) {
                if (!delta.path(name).stringValue("").isEmpty()) {
                    append(name, delta.path(name));
                    break; // some say it under several
                }
            }
            if (delta.path("function_call") instanceof ObjectNode call) {
                byIndex.computeIfAbsent(0, this::begin).add("", call);
            }
            for (JsonNode call : Json.elements(delta.path("tool_calls"))) {
                add(call.path("index"), call);
            }
            return kept + ChatApi.size(delta);
        }

        private boolean hasBegun() {
            return !texts.isEmpty() || !calls.isEmpty();
        }

        private void append(String name, JsonNode piece) {
            if (!piece.stringValue("").isEmpty()) {
                texts.computeIfAbsent(name, any -> new StringBuilder()).append(piece.stringValue(""));
            }
        }

        /** A text, or parts, thoughts among them. */
        private void content(JsonNode content) {
            append("content", content);
            for (JsonNode part : Json.elements(content)) {
                append("content", part.isString() ? part : part.path("text"));
                Json.elements(part.path("thinking"))
                        .forEach(each -> append(MessageJson.THOUGHTS.get(0), each.path("text")));
                append(MessageJson.THOUGHTS.get(0), part.path("thinking"));
                if (part.isObject() && !part.has("text") && !part.has("thinking")) { // such as a picture
                    append("content", Json.tree("[" + part.path("type").stringValue("part") + "]"));
                }
            }
        }

        /**
         * Adds a piece of a call. It goes on with the one of its index, or where it tells none with the last; but with a name it
         * begins one where it has another id, or without an index stands behind arguments.
         */
        private void add(JsonNode index, JsonNode piece) {
            String id = piece.path("id").asString("");
            int at = index.intValue(calls.isEmpty() ? 0 : calls.get(calls.size() - 1).index);
            ToolCallParts known = byIndex.get(at);
            JsonNode function = piece.path("custom").isObject() ? piece.path("custom") : piece.path("function");
            boolean named = !function.path("name").stringValue("").isEmpty();
            ToolCallParts call = known == null || (named && known.isFollowedBy(id, index.isNumber()))
                    ? begin(index.isNumber() ? at : calls.size())
                    : known;
            byIndex.put(call.index, call);
            call.add(id, function);
        }

        private ToolCallParts begin(int index) {
            ToolCallParts begun = new ToolCallParts(index);
            calls.add(begun);
            return begun;
        }

        private ObjectNode whole() {
            texts.forEach((name, text) -> message.put(name, text.toString()));
            if (!calls.isEmpty()) {
                ArrayNode all = message.putArray("tool_calls");
                calls.forEach(call -> all.add(call.whole()));
            }
            return choice;
        }
    }

    private static final class ToolCallParts {
        private final int index;
        private final StringBuilder arguments = new StringBuilder();
        private String id = "";
        private String name = "";

        ToolCallParts(int index) {
            this.index = index;
        }

        /** Returns whether a name begins another call: some servers give another id with each piece, but no name. */
        boolean isFollowedBy(String next, boolean placed) {
            boolean told = !next.isEmpty() && !id.isEmpty();
            return told ? !next.equals(id) : !placed && !arguments.isEmpty();
        }

        /** Adds a piece, which tells the name in pieces too, or each time. */
        void add(String told, JsonNode function) {
            id = id.isEmpty() ? told : id;
            String more = function.path("name").stringValue("");
            name = more.equals(name) ? name : name + more;
            arguments.append(MessageJson.Call.arguments(function));
        }

        ObjectNode whole() {
            return new MessageJson.Call(id, name, arguments.toString()).json();
        }
    }
}
