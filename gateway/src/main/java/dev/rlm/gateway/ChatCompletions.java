package dev.rlm.gateway;

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
final class ChatCompletions implements ModelApi {
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
        if (reply.path("choices").path(0).path("message") instanceof ObjectNode message) {
            String text = message.path("content").stringValue("");
            if (text.isEmpty() && message.path("refusal").isString()) {
                message.set("content", message.path("refusal"));
            }
            if (!message.path("reasoning_content").isString()
                    && message.path("reasoning").isString()) {
                message.set("reasoning_content", message.path("reasoning"));
            }
            JsonNode call = message.path("function_call"); // as of old
            if (call.isObject() && message.path("tool_calls").isEmpty()) {
                message.putArray("tool_calls")
                        .add(ModelApi.toolCall(
                                "",
                                call.path("name").stringValue(""),
                                call.path("arguments").stringValue("")));
            }
        }
        return reply;
    }

    @Override
    public Stream stream() {
        return new Chunks();
    }

    /** Chunks of a reply: texts and arguments are joined, lists of tokens too, and of all else the last one counts. */
    private static final class Chunks implements Stream {
        private static final Set<String> HEAD =
                Set.of("id", "model", "usage", "error", "object", "message", "prompt_token_ids", "weight_version");
        private static final int VALUE_SIZE = 32; // bytes, about
        private static final int TOKEN_SIZE = 320; // with its probability

        private final ObjectNode head = ModelApi.object();
        private final ObjectNode choice = ModelApi.object();
        private final ObjectNode message = choice.putObject("message").put("role", "assistant");
        private final Map<String, StringBuilder> texts = new TreeMap<>();
        private final List<ToolCallParts> calls = new ArrayList<>(); // in the order in which they began
        private final Map<Integer, ToolCallParts> byIndex = new HashMap<>(); // the last that began at each

        @Override
        public boolean isLast(String data) {
            return data.equals("[DONE]");
        }

        @Override
        public int add(ObjectNode event) {
            int kept = 0;
            event.properties().forEach(each -> {
                if (HEAD.contains(each.getKey()) && !each.getValue().isNull()) {
                    head.set(each.getKey(), each.getValue());
                }
            });
            for (JsonNode each : Json.elements(event.path("choices"))) {
                if (each.path("index").intValue(0) == 0) {
                    kept += add(each);
                }
            }
            return kept;
        }

        private int add(JsonNode part) {
            int kept = 0;
            ModelApi.copy(
                    part, choice, Map.of("finish_reason", "finish_reason", "prompt_token_ids", "prompt_token_ids"));
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
            boolean named = delta.path("reasoning_content").isString(); // some say it under both names
            append("reasoning_content", delta.path(named ? "reasoning_content" : "reasoning"));
            if (delta.path("function_call") instanceof ObjectNode call) {
                byIndex.computeIfAbsent(0, this::begin).add("", call);
            }
            for (JsonNode call : Json.elements(delta.path("tool_calls"))) {
                add(call.path("index"), call);
            }
            return kept + ModelApi.size(delta);
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
                append("content", part.path("text"));
                Json.elements(part.path("thinking")).forEach(each -> append("reasoning_content", each.path("text")));
                append("reasoning_content", part.path("thinking"));
            }
        }

        /**
         * Adds a piece of a call. It goes on with the one of its index, or where it tells none with the last; but with a name it
         * begins one where it has another id, or without an index stands behind arguments.
         */
        private void add(JsonNode index, JsonNode piece) {
            String id = piece.path("id").stringValue("");
            int at = index.intValue(calls.isEmpty() ? 0 : calls.get(calls.size() - 1).index);
            ToolCallParts known = byIndex.get(at);
            boolean named = !piece.path("function").path("name").stringValue("").isEmpty();
            ToolCallParts call = known == null || (named && known.isFollowedBy(id, index.isNumber()))
                    ? begin(index.isNumber() ? at : calls.size())
                    : known;
            byIndex.put(call.index, call);
            call.add(id, piece.path("custom").isObject() ? piece.path("custom") : piece.path("function"));
        }

        private ToolCallParts begin(int index) {
            ToolCallParts begun = new ToolCallParts(index);
            calls.add(begun);
            return begun;
        }

        @Override
        public boolean tellsEnd() {
            return choice.has("finish_reason");
        }

        @Override
        public ObjectNode reply() {
            texts.forEach((name, text) -> message.put(name, text.toString()));
            if (!calls.isEmpty()) {
                ArrayNode all = message.putArray("tool_calls");
                calls.forEach(call -> all.add(call.whole()));
            }
            head.putArray("choices").add(choice);
            return head;
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
            arguments.append(ModelApi.arguments(function));
        }

        ObjectNode whole() {
            return ModelApi.toolCall(id, name, arguments.toString());
        }
    }
}
