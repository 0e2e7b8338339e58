package dev.rlm.gateway;

import dev.rlm.json.Json;
import java.util.Map;
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
        return reply;
    }

    @Override
    public Stream stream() {
        return new Chunks();
    }

    /** Chunks of a reply: texts and arguments are joined, lists of tokens too, and of all else the last one counts. */
    private static final class Chunks implements Stream {
        private static final int VALUE_SIZE = 32; // bytes, about
        private static final int TOKEN_SIZE = 320; // with its probability

        private static final Map<String, String> TEXTS = Map.of(
                "content",
                "content",
                "reasoning_content",
                "reasoning_content",
                "reasoning",
                "reasoning_content",
                "refusal",
                "refusal");

        private final ObjectNode head = ModelApi.object();
        private final ObjectNode choice = ModelApi.object();
        private final ObjectNode message = choice.putObject("message").put("role", "assistant");
        private final Map<String, StringBuilder> texts = new TreeMap<>();
        private final Map<Integer, ToolCallParts> calls = new TreeMap<>();

        @Override
        public boolean isLast(String data) {
            return data.equals("[DONE]");
        }

        @Override
        public int add(ObjectNode event) {
            int kept = 0;
            event.properties().forEach(each -> {
                if (!each.getKey().equals("choices") && !each.getValue().isNull()) {
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
            TEXTS.forEach((name, other) -> {
                String piece = delta.path(name).stringValue("");
                if (!piece.isEmpty()) {
                    texts.computeIfAbsent(other, any -> new StringBuilder()).append(piece);
                }
            });
            for (JsonNode call : Json.elements(delta.path("tool_calls"))) {
                calls.computeIfAbsent(call.path("index").intValue(calls.size()), any -> new ToolCallParts())
                        .add(call);
            }
            return kept + ModelApi.size(delta);
        }

        @Override
        public ObjectNode reply() {
            texts.forEach((name, text) -> message.put(name, text.toString()));
            if (!calls.isEmpty()) {
                ArrayNode all = message.putArray("tool_calls");
                calls.values().forEach(call -> all.add(call.whole()));
            }
            head.putArray("choices").add(choice);
            return head;
        }
    }

    private static final class ToolCallParts {
        private final StringBuilder arguments = new StringBuilder();
        private String id = "";
        private String name = "";

        void add(JsonNode part) {
            JsonNode function = part.path("function");
            id = id.isEmpty() ? part.path("id").stringValue("") : id;
            name = name.isEmpty() ? function.path("name").stringValue("") : name;
            arguments.append(function.path("arguments").stringValue(""));
        }

        ObjectNode whole() {
            return ModelApi.toolCall(id, name, arguments.toString());
        }
    }
}
